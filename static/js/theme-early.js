// For pages made without a request (the 500 page): reads the chosen colours from the cookie before the first paint.
const chosen = /(?:^|; )theme=(light|dark)(?:;|$)/.exec(document.cookie);
if (chosen) document.documentElement.dataset.theme = chosen[1];
