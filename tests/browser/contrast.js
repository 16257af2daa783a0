// Contrast of every text that is shown, against what is painted behind it: [[what, ratio], ...]
() => {
  const parse = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const light = (rgb) => rgb.slice(0, 3)
    .map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let node = element; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour.length && colour[3] !== 0) return colour;
    }
    return [255, 255, 255];
  };
  const texts = ".turn-text, .speaker, .turn-mark, .chip .name, .chip .value, .step .name, .hint, #summary, .button";
  return [...document.querySelectorAll(texts)]
    .filter((element) => element.offsetParent && !element.closest("[aria-disabled=true], [disabled]"))
    .map((element) => {
      const pair = [light(parse(getComputedStyle(element).color)), light(behind(element))];
      const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
      return [`${element.className}: ${element.textContent.slice(0, 20)}`, ratio];
    });
}
