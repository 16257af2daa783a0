// What `make check` holds the scripts to: ESLint's recommended rules, and the few that catch a module read wrongly.
import js from "@eslint/js";
import globals from "globals";

const RULES = {
  ...js.configs.recommended.rules,
  eqeqeq: "error",
  "no-shadow": "error",
  "no-var": "error",
  "prefer-const": "error",
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
};

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  { files: ["static/js/**/*.js"], languageOptions: { globals: globals.browser }, rules: RULES },
  { files: ["eslint.config.js"], rules: RULES },
  { files: ["tests/js/**/*.js"], languageOptions: { globals: globals.nodeBuiltin }, rules: RULES },
  { files: ["tests/browser/**/*.js"], languageOptions: { globals: globals.browser }, rules: RULES },
];
