import { parseSync, Visitor } from 'vite';

/** What of a declared call only the server reads: its schemas, its words for the API's reference, and what a demo or the audit makes of it. */
const schemaFields = new Set(['input', 'data', 'extra', 'summary', 'errors', 'example', 'audit', 'demo']);

/**
 * The source of declared calls without what only the server reads: what stands under these names in the third
 * argument of `route` becomes undefined, and every constant is marked as free of side effects, so that those which only
 * schemas used are left out of the bundle. Lines stay where they are.
 */
export function withoutCallSchemas(code: string): string {
  const edits: { at: number; end: number; text: string }[] = [];
  const { program } = parseSync('calls.ts', code);
  new Visitor({
    CallExpression({ callee, arguments: [, , spec] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'route' || spec?.type !== 'ObjectExpression')
        return;
      for (const field of spec.properties) {
        if (field.type !== 'Property' || field.key.type !== 'Identifier') continue;
        if (schemaFields.has(field.key.name))
          edits.push({ at: field.start, end: field.end, text: `${field.key.name}: undefined` });
      }
    },
    VariableDeclarator({ init }) {
      // Only calls may have side effects; these have none, being schemas or made of them.
      if (init?.type !== 'CallExpression') return;
      edits.push({ at: init.start, end: init.start, text: '/* @__PURE__ */ (() => ' });
      edits.push({ at: init.end, end: init.end, text: ')()' });
    },
  }).visit(program);
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, end, text: words }) => text.slice(0, at) + words + text.slice(end), code);
}
