import { createElement, useEffect, useState, type ReactNode } from 'react';
import type { ColouredCode } from './coloured-code.tsx';

/** Above this many characters colours cost more than they help. */
const maxLength = 40_000;

let arrived: typeof ColouredCode | null = null;
let arriving: Promise<typeof ColouredCode> | null = null;

/** Fetches the highlighter with the first code that wants it. */
async function fetchColours(): Promise<typeof ColouredCode> {
  arriving ??= import('./coloured-code.tsx').then((module) => module.ColouredCode);
  arrived = await arriving;
  return arrived;
}

/** The code with colours; null while the highlighter comes, and for code without a language. */
export function useColoured(code: string, language: string): ReactNode {
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
