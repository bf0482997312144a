import { parseSync, Visitor, type Plugin } from 'vite';

/** What of a declared call the console reads; its schemas, words and rights are the server's. */
const consoleFields = new Set(['access', 'bare', 'humanCheck']);

/**
 * The source of declared calls without what only the server reads: the third argument of `route` keeps the fields above
 * alone, fields lose their descriptions, and every constant is marked as free of side effects, so that those which only
 * schemas used are left out of the bundle. Lines stay where they are.
 */
export function withoutCallSchemas(code: string): string {
  const edits: { at: number; end: number; text: string }[] = [];
  const { program } = parseSync('calls.ts', code);
  new Visitor({
    CallExpression({ callee, arguments: [meaning, , spec] }) {
      // Descriptions of fields are for the reference, which the server writes. The text keeps its length, since fields
      // around it may be left out as well.
      if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier') {
        if (callee.property.name === 'meta' && meaning !== undefined) {
          const blank = code.slice(meaning.start, meaning.end).replace(/[^\n]/g, ' ');
          edits.push({ at: meaning.start, end: meaning.end, text: blank });
        }
      }
      if (callee.type !== 'Identifier' || callee.name !== 'route' || spec?.type !== 'ObjectExpression')
        return;
      for (const [index, field] of spec.properties.entries()) {
        if (field.type !== 'Property' || field.key.type !== 'Identifier') continue;
        if (consoleFields.has(field.key.name)) continue;
        // With the comma behind it; the lines it stood on stay.
        const end = spec.properties[index + 1]?.start ?? spec.end - 1;
        edits.push({ at: field.start, end, text: code.slice(field.start, end).replace(/[^\n]+/g, '') });
      }
    },
    VariableDeclarator({ init }) {
      // Only calls may have side effects; these have none, being schemas or made of them.
      const isFields =
        init?.type === 'ObjectExpression' && code.slice(init.start, init.end).includes('.meta(');
      if (!init || (init.type !== 'CallExpression' && !isFields)) return;
      edits.push({ at: init.start, end: init.start, text: '/* @__PURE__ */ (() => (' });
      edits.push({ at: init.end, end: init.end, text: '))()' });
    },
  }).visit(program);
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, end, text: words }) => text.slice(0, at) + words + text.slice(end), code);
}

/** Texts of errors that no check of a setting answers (`SettingErrorCode` in the contract). */
const otherErrors = /\/packages\/contract\/src\/(?:errors-accounts|refusals\/[\w-]+)\.ts$/;

/**
 * The server says what was wrong with a call, in words. The console only knows such words for the settings, whose values it
 * checks as they are typed; it takes them from the table of all errors, most of which stay out of the build.
 */
export const withoutErrorTexts = (): Plugin => ({
  name: 'console:without-error-texts',
  apply: 'build',
  enforce: 'pre',
  transform: (code, id) => {
    if (!otherErrors.test(id)) return null;
    const lines = [...code.matchAll(/^export const (\w+)/gm)].map(([, name]) => `export const ${name} = {};`);
    return { code: lines.join('\n'), map: null };
  },
});
