// Answers that hold several things, as the text in which they are stored. Nothing here touches the page.
const PLACE_JOIN = ">";
const SEVERAL_JOIN = "; ";
export const NONE = "none";

/* The texts of a list in places: letters in the order of the places, "" for a free one. */

// "" until every place has its text.
export const joinPlaces = (letters) => (letters.length && letters.every(Boolean) ? letters.join(PLACE_JOIN) : "");

export const splitPlaces = (answer, n) => {
  const letters = answer ? answer.split(PLACE_JOIN) : [];
  return Array.from({ length: n }, (_, place) => letters[place] ?? "");
};

// A letter in one place; it leaves the one where it was.
export const putLetter = (letters, letter, place) =>
  letters.map((other, at) => (at === place ? letter : other === letter ? "" : other));

// A letter into the first free place, or out of its place; null where all places are taken.
export function pressLetter(letters, letter) {
  if (letters.includes(letter)) return letters.map((other) => (other === letter ? "" : other));
  const free = letters.indexOf("");
  return free < 0 ? null : putLetter(letters, letter, free);
}

/* Several values of one question, or that none applies. */

export const joinValues = (values) => values.join(SEVERAL_JOIN);
export const splitValues = (answer) => (answer ? answer.split(SEVERAL_JOIN) : []);

// Values after one was ticked: "none" and the others exclude each other.
export const keepApart = (values, ticked) =>
  values.filter((value) => value === ticked || (ticked !== NONE && value !== NONE));
