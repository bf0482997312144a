import type { Settings } from '../settings/index.ts';
import { compileWords, type WordFilter } from './compile.ts';

/** The filter for the present settings; null if nothing is searched. Compiled again when the list changes. */
export function currentWordFilter(settings: Settings): () => WordFilter | null {
  const compile = (): WordFilter => compileWords(settings.get('SensitiveWords').join('\n'));
  let filter = compile();
  settings.onChange((changed) => {
    if (changed.has('SensitiveWords')) filter = compile();
  });
  return () => {
    const on = settings.get('CheckSensitiveEnabled') && settings.get('CheckSensitiveOnPromptEnabled');
    return on && !filter.isEmpty ? filter : null;
  };
}
