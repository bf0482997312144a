import { declarationOf, type SettingKey } from '@tollgate/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslate, useLanguage } from '../../lib/i18n.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { problemOf, type Draft } from './draft/draft.ts';
import { settingsQuery, useSaveSettings, type SaveResult } from './draft/queries.ts';
import { sections } from './sections.ts';
import { text } from './text.ts';

const paymentKeys = new Set<string>(sections.find(({ keys }) => keys.includes('PayAddress'))?.keys);

/** Saves the changes after each value is checked. */
export function useSave(draft: Draft): { save: () => void; isPending: boolean } {
  const t = useTranslate();
  const language = useLanguage();
  const confirm = useConfirm();
  const saving = useSaveSettings();
  const client = useQueryClient();
  const { changes } = draft;

  /** The reason why nothing can be saved; null if saving is possible. */
  const obstacle = (): string | null => {
    const broken = changes.find(([key, value]) => problemOf(key, value, language) !== null);
    if (broken) {
      document.getElementById(`setting-${broken[0]}`)?.scrollIntoView({ block: 'center' });
      return `${t(text.invalid)}: ${problemOf(...broken, language) ?? ''}`;
    }
    // The payment provider calls back, so it needs the site's address.
    const knowsWhere = (['ServerAddress', 'CustomCallbackAddress'] as const).some(
      (key) => draft.textOf(key).trim() !== '',
    );
    const concernsPayment = changes.some(([key]) => paymentKeys.has(key));
    return concernsPayment && !knowsWhere ? t(text.serverAddress) : null;
  };
  const mayLockOut = async () => {
    const locksOut = changes.some(([key, value]) => key === 'PasswordLoginEnabled' && value === 'false');
    if (!locksOut) return true;
    const agreed = await confirm({
      title: t(text.loginTitle),
      body: t(text.loginBody),
      action: t(text.loginAction),
      danger: true,
    });
    if (!agreed) draft.set('PasswordLoginEnabled', 'true');
    return agreed;
  };
  /** Names of the texts that the server stored with parts removed. */
  const cleanedOf = (saved: readonly SettingKey[]) => {
    const stored = client.getQueryData(settingsQuery.queryKey)?.texts;
    return changes
      .filter(([key]) => saved.includes(key) && declarationOf(key).markup)
      .filter(([key, sent]) => stored?.[key] !== undefined && stored[key].trim() !== sent.trim())
      .map(([key]) => `“${declarationOf(key).label[language]}”`)
      .join(' ');
  };
  const report = ({ saved, problem }: SaveResult) => {
    draft.forget(saved);
    if (problem === null) {
      const names = cleanedOf(saved);
      return names === '' ? toast.good(t(text.saved)) : toast.info(t(text.savedCleaned, { names }));
    }
    toast.bad(`${t(saved.length > 0 ? text.partial : text.failed)} ${errorMessage(problem, language)}`);
  };
  const run = async () => {
    if (changes.length === 0) return toast.info(t(text.unchanged));
    const reason = obstacle();
    if (reason !== null) return toast.bad(reason);
    if (await mayLockOut()) saving.mutate(changes, { onSuccess: report });
  };
  return { save: () => void run(), isPending: saving.isPending };
}
