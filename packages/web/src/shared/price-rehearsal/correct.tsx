import { Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { moneyDigits, reratingApi, type RehearsalOutcome } from '@tollgate/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { useConfirm } from '../confirm/use-confirm.tsx';
import { MutationButton } from '../demo/mutation-button.tsx';
import { Money } from '../money/money.tsx';
import { correctText as text } from './correct-text.ts';

interface CorrectProps {
  /** Id of the finished rehearsal. */
  rehearsal: string;
  outcome: RehearsalOutcome;
  /** True for unsaved prices. */
  isDraft: boolean;
  onCorrect?: ((rerating: number) => void) | undefined;
}

/** Corrects charges to the result of a rehearsal: a button, and its form. */
export function Correct({ onCorrect, ...props }: CorrectProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const [begun, setBegun] = useState(0);
  const { cheaper, dearer } = props.outcome;
  if (cheaper.rows + dearer.rows === 0) return null;
  if (begun > 0)
    return (
      <Notice tone="good" role="status">
        {t(text.begun)}{' '}
        <Link to="/correction" search={{ open: String(begun) }}>
          {t(text.follow)}
        </Link>
      </Notice>
    );
  if (isOpen) return <CorrectForm {...props} onBegun={onCorrect ?? setBegun} />;
  return (
    <Group>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t(text.open)}
      </Button>
    </Group>
  );
}

interface FormProps extends Omit<CorrectProps, 'onCorrect'> {
  onBegun: (rerating: number) => void;
}

function useCorrect({ rehearsal, outcome, onBegun }: FormProps) {
  const t = useTranslate();
  const language = useLanguage();
  const confirm = useConfirm();
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const [collect, setCollect] = useState(false);
  const [missing, setMissing] = useState(false);
  const begin = useMutation({
    mutationFn: () => call(reratingApi.start, { rehearsal, reason: reason.trim(), collect }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['corrections'] });
      onBegun(id);
    },
    meta: { quiet: true },
  });
  const count = outcome.cheaper.rows + (collect ? outcome.dearer.rows : 0);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setMissing(reason.trim() === '');
    if (reason.trim() === '' || count === 0) return;
    const agreed = await confirm({
      title: t(text.confirmTitle, { count: formatNumber(count, language) }),
      body: <Sums outcome={outcome} collect={collect} />,
      action: t(text.begin),
      danger: true,
    });
    if (agreed) begin.mutate();
  };
  return { reason, setReason, collect, setCollect, missing, begin, count, submit };
}

function CorrectForm(props: FormProps) {
  const { outcome, isDraft } = props;
  const t = useTranslate();
  const language = useLanguage();
  const form = useCorrect(props);
  return (
    <form noValidate onSubmit={(event) => void form.submit(event)}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          {t(text.title)}
        </Title>
        <Text size="sm">{t(text.hint)}</Text>
        {isDraft && <Notice tone="warn">{t(text.unsaved)}</Notice>}
        <TextInput
          label={t(text.reason)}
          description={t(text.reasonHint)}
          required
          maxLength={255}
          value={form.reason}
          error={form.missing && form.reason.trim() === '' ? t(text.required) : undefined}
          onChange={(event) => form.setReason(event.currentTarget.value)}
        />
        {outcome.dearer.rows > 0 && (
          <Checkbox
            label={t(text.collect)}
            description={t(text.collectHint)}
            checked={form.collect}
            onChange={(event) => form.setCollect(event.currentTarget.checked)}
          />
        )}
        <Sums outcome={outcome} collect={form.collect} />
        {form.begin.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(form.begin.error, language)}
          </Notice>
        )}
        <Group justify="flex-end">
          <MutationButton type="submit" loading={form.begin.isPending} disabled={form.count === 0}>
            {t(text.action, { count: formatNumber(form.count, language) })}
          </MutationButton>
        </Group>
      </Stack>
    </form>
  );
}

/** Refunded, charged and unchanged amounts, with the decimals of the totals above. */
function Sums({ outcome, collect }: { outcome: RehearsalOutcome; collect: boolean }) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const { total, cheaper, dearer } = outcome;
  const digits = moneyDigits([total.before, total.after], perUnit);
  const count = (rows: number) => formatNumber(rows, language);
  return (
    <Text size="sm" component="ul" my={0} ps="md">
      {cheaper.rows > 0 && (
        <li>
          {t(text.back, { count: count(cheaper.rows) })} <Money quota={cheaper.quota} digits={digits} />
        </li>
      )}
      {dearer.rows > 0 && (
        <li>
          {t(collect ? text.taken : text.left, { count: count(dearer.rows) })}{' '}
          <Money quota={dearer.quota} digits={digits} />
        </li>
      )}
    </Text>
  );
}
