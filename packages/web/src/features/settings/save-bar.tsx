import { Button } from '@mantine/core';
import { wordsOf } from '../../lib/api-error.ts';
import { useLanguage, useSay } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { problemOf, type Draft } from './draft.ts';
import classes from './page.module.css';
import { useSaveSettings, type SaveResult } from './queries.ts';
import { text } from './text.ts';

/** Stands at the foot of the window while anything is changed; saves only that. */
export function SaveBar({ draft }: { draft: Draft }) {
  const say = useSay();
  const language = useLanguage();
  const confirm = useConfirm();
  const save = useSaveSettings();
  const { changes } = draft;
  if (changes.length === 0) return null;

  const report = ({ saved, problem }: SaveResult) => {
    draft.forget(saved);
    if (problem === null) return toast.good(say(text.saved));
    toast.bad(`${say(saved.length > 0 ? text.partial : text.failed)} ${wordsOf(problem, language)}`);
  };
  const run = async () => {
    const broken = changes.find(([key, value]) => problemOf(key, value, language) !== null);
    if (broken) {
      document.getElementById(`setting-${broken[0]}`)?.scrollIntoView({ block: 'center' });
      return toast.bad(`${say(text.invalid)}: ${problemOf(...broken, language) ?? ''}`);
    }
    const locksOut = changes.some(([key, value]) => key === 'PasswordLoginEnabled' && value === 'false');
    if (
      locksOut &&
      !(await confirm({
        title: say(text.loginTitle),
        body: say(text.loginBody),
        action: say(text.loginAction),
        danger: true,
      }))
    )
      return draft.set('PasswordLoginEnabled', 'true');
    save.mutate(changes, { onSuccess: report });
  };

  return (
    <div className={classes.saveBar} role="status">
      <strong>{say(text.changes, { count: changes.length })}</strong>
      <Button variant="default" ms="auto" onClick={() => draft.forget()}>
        {say(text.discard)}
      </Button>
      <Button loading={save.isPending} onClick={() => void run()}>
        {say(text.save)}
      </Button>
    </div>
  );
}
