// The notice above the task: one sentence, with a link to the sign-in page where the session ended.
import { $, make, setIcon } from "./dom.js";

// signInPage: opened in a tab of its own, so that the text on this page stays.
export function createNotice({ root, say, signInPage }) {
  const box = $("[data-task-notice]", root);
  const link = () => make("a", { href: signInPage, target: "_blank", rel: "noopener", textContent: say("sign-in") });
  return {
    show(text, { signIn = false, warn = true } = {}) {
      box.hidden = false;
      box.classList.toggle("warn", warn);
      setIcon($(".icon", box), warn ? "warn" : "check");
      $("[data-task-notice-said]", box).replaceChildren(make("p", {}, text, ...(signIn ? [" ", link()] : [])));
    },
    hide() {
      box.hidden = true;
    },
  };
}
