import { createElement, useEffect, useState, type ReactNode } from 'react';
import type { HighlightedCode } from './highlighted-code.tsx';

/** Above this many characters colours cost more than they help. */
const maxLength = 40_000;

let arrived: typeof HighlightedCode | null = null;
let arriving: Promise<typeof HighlightedCode> | null = null;

/** Fetches the highlighter with the first code that wants it. */
async function fetchColours(): Promise<typeof HighlightedCode> {
  arriving ??= import('./highlighted-code.tsx').then((module) => module.HighlightedCode);
  arrived = await arriving;
  return arrived;
}

/** The code with colours; null while the highlighter comes, and for code without a language. */
export function useHighlightedCode(code: string, language: string): ReactNode {
  const [loaded, setLoaded] = useState(() => arrived);
  const wanted = language !== '' && code.length <= maxLength;
  useEffect(() => {
    if (!wanted || loaded) return;
    let gone = false;
    // Without the highlighter code stays plain.
    fetchColours().then(
      (component) => !gone && setLoaded(() => component),
      () => undefined,
    );
    return () => {
      gone = true;
    };
  }, [wanted, loaded]);
  return wanted && loaded ? createElement(loaded, { code, language }) : null;
}
