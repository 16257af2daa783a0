// The list of proposed words in step 3: accept or reject each; what is left alone stays proposed.
import { $, iconButton, make, tell } from "./dom.js";
import { open, propose } from "./proposals.js";

// runsOf(text): the copied runs of a text as they are now.
export function proposingPane({ root, segments, say, pane, runsOf }) {
  const box = $("[data-proposals]", root);
  const texts = segments.map((segment) => segment.text);
  return {
    // What is proposed beside what was marked; the same again finds nothing new.
    offer: ({ summary, spans, proposals }, marked) =>
      propose({ runs: runsOf(summary), text: summary, texts, marked, spans, proposals }),
    show(payload, { onAccept, onReject }) {
      const rows = open(payload.proposals);
      const had = box.contains(document.activeElement);
      box.hidden = !payload.proposals?.length;
      tell(
        $("[data-proposals-said]", box),
        rows.length ? say("proposals-open", { n: rows.length }) : say("proposals-done"),
      );
      $("[data-proposal-list]", box).replaceChildren(
        ...rows.map((row) => {
          const n = row.segment + 1;
          const go = make("button", { type: "button", className: "text-button", textContent: String(n) });
          go.setAttribute("aria-label", say("show-segment", { n }));
          go.addEventListener("click", () => pane.show(row.segment));
          return make(
            "li",
            { className: "proposed" },
            make("span", { className: "where" }, go),
            make("span", { className: "quote", dir: "auto", textContent: row.quote }),
            make(
              "span",
              { className: "acts" },
              iconButton("check", say("proposal-accept", { n }), () => onAccept(row)),
              iconButton("cross", say("proposal-reject", { n }), () => onReject(row)),
            ),
          );
        }),
      );
      if (had) ($(".icon-button", box) ?? $("[data-confirm-marks]", root)).focus();
    },
    first: () => $(".acts .icon-button", box)?.focus(),
  };
}
