import { useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { text } from '../base/text.ts';
import classes from './tasks.module.css';

/** The full prompt or reason, to read and to copy. */
export function WholeText({ value }: { value: string }) {
  return (
    <div className={classes.stack}>
      <p className={classes.whole}>{value}</p>
      <CopyButton value={value} />
    </div>
  );
}

/** A task as in the call's answer. */
export function Record({ value }: { value: unknown }) {
  const t = useTranslate();
  const json = JSON.stringify(value, null, 2);
  return (
    <CodeBlock
      code={json}
      label={t(text.record)}
      action={<CopyButton value={json} what={t(text.copyRecord)} />}
    />
  );
}
