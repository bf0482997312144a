import { useEffect, useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { copyText } from '../../lib/clipboard.ts';
import { translate, useLanguage } from '../../lib/i18n.ts';
import { openDialog } from '../dialog/dialog.ts';
import { toast } from '../feedback/toast.ts';
import { text } from './text.ts';

/** How long the tick stays, in ms. */
const tickMs = 1600;

/** Copies text; where the browser refuses, a dialog shows it for copying by hand. */
export function useCopy() {
  const language = useLanguage();
  const [copied, setCopied] = useState(false);
  const [pending, setPending] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), tickMs);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async (value: string | (() => Promise<string>)) => {
    setPending(true);
    try {
      const words = typeof value === 'string' ? value : await value();
      if (await copyText(words)) setCopied(true);
      else await showForHand(words, translate(language, text.failedTitle));
    } catch (error) {
      toast.bad(errorMessage(error, language));
    } finally {
      setPending(false);
    }
  };
  return { copy, copied, pending };
}

/** Its field is fetched with the first refusal: browsers hardly ever refuse. */
async function showForHand(words: string, title: string): Promise<void> {
  const { ManualCopyField } = await import('./manual-copy-field.tsx');
  openDialog({ title, body: <ManualCopyField words={words} label={title} /> });
}
