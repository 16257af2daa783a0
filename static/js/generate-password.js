// Fills the field of a first password with a random one, which the button beside it copies. Without script: the server
// generates one where the field is empty.
export const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"; // none that look alike, as in first_passwords.py
const GROUPS = 4;
const GROUP = 4;

// Four groups of four; draw gives a whole number from 0 to 255, all equally likely.
export function makePassword(draw) {
  const limit = 256 - (256 % ALPHABET.length);
  const letter = () => {
    let number = draw();
    while (number >= limit) number = draw(); // else the first letters would come more often
    return ALPHABET[number % ALPHABET.length];
  };
  const group = () => Array.from({ length: GROUP }, letter).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

if (typeof document !== "undefined") {
  const byte = () => crypto.getRandomValues(new Uint8Array(1))[0];
  for (const button of document.querySelectorAll("[data-generates]")) {
    const field = document.getElementById(button.dataset.generates);
    const copy = button.parentElement.querySelector("[data-copy]");
    button.parentElement.hidden = false;
    copy.hidden = true;
    button.addEventListener("click", () => {
      field.value = makePassword(byte);
      copy.dataset.copy = field.value;
      copy.hidden = false;
    });
    field.addEventListener("input", () => {
      copy.dataset.copy = field.value;
      copy.hidden = !field.value;
    });
  }
}
