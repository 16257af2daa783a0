// The contents list of a report marks the chapter that is being read.
import { chapterInView } from "./report-contents.js";

const links = [...document.querySelectorAll("[data-contents] a")];
const chapters = links.map((link) => document.querySelector(link.hash)).filter(Boolean);

function mark() {
  const tops = chapters.map((chapter) => chapter.getBoundingClientRect().top);
  const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
  const current = chapters[chapterInView(tops, window.innerHeight * 0.3, atEnd)];
  for (const link of links) {
    if (current && link.hash === `#${current.id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

if (chapters.length) {
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later);
  mark();
}
