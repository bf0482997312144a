import { expect, test } from 'vitest';

const sources = import.meta.glob<string>('../../**/*.{ts,tsx}', {
  query: '?raw',
  import: 'default',
  eager: true,
});
/** A declared query: its key, then its fetch function. */
const declaration = /queryKey: (\[[^\]]*\]),\s*(?:queryFn|enabled|staleTime)/g;

/** Key of each query → the files that declare it. Keys that begin with a name are distinguished by that name's value. */
function declaredKeys(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [file, words] of Object.entries(sources)) {
    if (file.includes('.test.')) continue;
    for (const [, key = ''] of words.matchAll(declaration)) {
      if (key.startsWith('[...')) continue;
      found.set(key, [...(found.get(key) ?? []), file]);
    }
  }
  return found;
}

test('no two queries share a key: one would get what the other had fetched', () => {
  const keys = declaredKeys();
  expect(keys.size).toBeGreaterThan(30);
  expect([...keys].filter(([, files]) => files.length > 1)).toEqual([]);
});
