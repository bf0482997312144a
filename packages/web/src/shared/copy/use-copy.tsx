import { useEffect, useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { translate, useLanguage } from '../../lib/i18n.ts';
import { openDialog } from '../dialog/dialog.ts';
import { toast } from '../feedback/toast.ts';
import { text } from './text.ts';

/** Copies text. Resolves to false if the browser refuses (no secure context, no permission). */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The deprecated way, which also works over plain HTTP on a local network. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

/** Duration of the tick, in ms. */
const tickMs = 1600;

/** Copies text; if the browser refuses, a dialog shows it for copying by hand. */
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

/** Its field is fetched with the first refusal: browsers rarely refuse. */
async function showForHand(words: string, title: string): Promise<void> {
  const { ManualCopyField } = await import('./manual-copy-field.tsx');
  openDialog({ title, body: <ManualCopyField words={words} label={title} /> });
}
