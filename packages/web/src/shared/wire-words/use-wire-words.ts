import { useCallback } from 'react';
import { useLanguage } from '../../lib/i18n.ts';
import { wireWords } from './wire-words.ts';

/** `wireWords` in the language of the reader. */
export function useWireWords(): (text: string) => string {
  const language = useLanguage();
  return useCallback((text) => wireWords(text, language), [language]);
}
