import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["dist", "node_modules", "src/lib/backend/generated"] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      // The page shows text that strangers and models wrote: it is never markup.
      "svelte/no-at-html-tags": "error",
      // Routes are hashes of a window without a server; there is nothing to resolve.
      "svelte/no-navigation-without-resolve": "off",
      "no-restricted-imports": [
        "error",
        { patterns: [{ group: ["@tauri-apps/*"], message: "Only lib/backend/tauri.ts talks to the shell." }] },
      ],
      // Sets and addresses that live inside one function are nobody's state.
      "svelte/prefer-svelte-reactivity": "off",
      "no-eval": "error",
      eqeqeq: ["error", "always"],
    },
  },
  { files: ["src/lib/backend/tauri.ts"], rules: { "no-restricted-imports": "off" } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"], svelteConfig } },
  },
);
