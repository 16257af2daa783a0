// Tells text from shortcuts: what follows a letter that was no shortcut within a second is a word somebody types.

const PAUSE = 1000; // milliseconds

export function watchTyping() {
  let last = -Infinity;
  const isLetter = ({ key }) => /^\p{L}$/u.test(key);
  const letter = (event) => {
    if (isLetter(event)) last = event.timeStamp;
  };
  return {
    // A letter that went into a field, or that means nothing here.
    letter,
    // Whether a key belongs to the word before it; if so the word goes on.
    goesOn(event) {
      if (event.key.length !== 1 || event.timeStamp - last >= PAUSE) return false;
      letter(event);
      return true;
    },
    // A person left the text: what comes now is meant anew.
    stop() {
      last = -Infinity;
    },
  };
}
