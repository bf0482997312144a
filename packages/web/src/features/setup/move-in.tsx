import { Button, Collapse, NumberInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type CallOf, product, type setupApi } from '@tollgate/contract';
import { useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import classes from './page.module.css';
import { useRehearseImport } from './queries.ts';
import { text } from './text.ts';

interface MoveInForm extends Record<string, unknown> {
  source: string;
  credit: number | string;
  key: string;
}

/** The command that makes the rehearsed import, without the password of the address, which may have any characters. */
const commandOf = ({ source_database: source, credit }: CallOf<typeof setupApi.rehearse>): string =>
  [
    `${product.id} import`,
    `--from='${source.replace(/^((?:\w+:\/\/)?[^:@/]*):(?!\/\/).*@/, '$1:…@')}'`,
    ...(credit === undefined ? [] : [`--credit=${credit}`]),
  ].join(' ');

/** Rehearses an import from another gateway. The import itself needs this server stopped, so it is a command. */
export function MoveIn({ token }: { token: string }) {
  const t = useTranslate();
  const language = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const rehearsal = useRehearseImport();
  const form = useForm<MoveInForm>({
    initialValues: { source: '', credit: '', key: '' },
    validate: { source: (value) => (value.trim() === '' ? t(text.sourceRequired) : null) },
  });
  const submit = form.onSubmit(({ source, credit, key }) =>
    rehearsal.mutate({
      token,
      source_database: source.trim(),
      source_key: key,
      ...(credit !== '' && { credit: Number(credit) }),
    }),
  );
  return (
    <section className={classes.moveIn}>
      <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t(text.moveIn)}
      </TextButton>
      <Collapse expanded={isOpen}>
        <form noValidate onSubmit={submit}>
          <Stack gap={14} mt={12}>
            <TextInput
              label={t(text.source)}
              description={t(text.sourceHint)}
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('source')}
            />
            <NumberInput
              label={t(text.credit)}
              description={t(text.creditHint)}
              min={0}
              max={1_000_000_000}
              {...form.getInputProps('credit')}
            />
            <PasswordField
              label={t(text.sourceKey)}
              description={t(text.sourceKeyHint)}
              autoComplete="off"
              {...form.getInputProps('key')}
            />
            {rehearsal.isError && (
              <Notice tone="bad" role="alert">
                {errorMessage(rehearsal.error, language)}
              </Notice>
            )}
            <div className={classes.buttons}>
              <span />
              <Button type="submit" variant="default" loading={rehearsal.isPending}>
                {t(text.rehearse)}
              </Button>
            </div>
            {rehearsal.isSuccess && (
              <Rehearsed report={rehearsal.data.report} command={commandOf(rehearsal.variables)} />
            )}
          </Stack>
        </form>
      </Collapse>
    </section>
  );
}

function Rehearsed({ report, command }: { report: string; command: string }) {
  const t = useTranslate();
  const label = t(text.command);
  return (
    <>
      <CodeBlock code={report} label={t(text.report)} />
      <Notice tone="info">{t(text.thenImport)}</Notice>
      <CodeBlock code={command} label={label} action={<CopyButton value={command} what={label} />} />
    </>
  );
}
