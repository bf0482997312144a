import type { HLJSApi } from 'highlight.js';
import { useEffect, useMemo, useState } from 'react';

/** Above this many characters colours cost more than they help. */
const maxLength = 40_000;

let engine: HLJSApi | null = null;
let arriving: Promise<HLJSApi> | null = null;

/** Fetches the highlighter with the first code that wants it. */
async function fetchEngine(): Promise<HLJSApi> {
  arriving ??= import('highlight.js/lib/common').then((module) => module.default);
  engine = await arriving;
  return engine;
}

/** The code as HTML with the classes of highlight.js; null while the highlighter comes, and for unknown languages. */
export function useHighlight(code: string, language: string): string | null {
  const [loaded, setLoaded] = useState(engine);
  const wanted = language !== '' && code.length <= maxLength;
  useEffect(() => {
    if (!wanted || loaded) return;
    let gone = false;
    // Without the highlighter code stays plain.
    fetchEngine().then(
      (arrived) => !gone && setLoaded(() => arrived),
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [wanted, loaded]);
  return useMemo(
    () =>
      wanted && loaded?.getLanguage(language)
        ? loaded.highlight(code, { language, ignoreIllegals: true }).value
        : null,
    [wanted, loaded, code, language],
  );
}
