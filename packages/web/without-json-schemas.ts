import type { Plugin } from 'vite';

/** Zod's own words for faults, which nobody is shown: they are read into ours. */
const ownWords = /\/zod\/v4\/locales\/en\.js$/;
const jsonSchemaParts = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/;

/** The names a module exports, in the forms that these two use. */
const exportedNames = (code: string): string[] => [
  ...[...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name = '']) => name),
  ...[...code.matchAll(/^export \{ \w+ as (\w+) \};/gm)].map(([, name = '']) => `nothing as ${name}`),
];

/**
 * Zod's schemas can write themselves as JSON schemas, and carry the code for it. The settings page checks with them and
 * never writes one, so the writers are replaced by functions that do nothing.
 */
export const withoutJsonSchemas = (): Plugin => ({
  name: 'console:without-json-schemas',
  apply: 'build',
  transform: (code, id) => {
    if (ownWords.test(id)) return { code: 'export default () => ({});', map: null };
    if (!jsonSchemaParts.test(id)) return null;
    const nothing = 'const nothing = () => undefined;';
    const lines = exportedNames(code).map((name) =>
      name.startsWith('nothing as') ? `export { ${name} };` : `export { nothing as ${name} };`,
    );
    return { code: [nothing, ...lines].join('\n'), map: null };
  },
});
