import { Group, NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core';
import { autoTopUpApi, type AutoTopUpData } from '@tollgate/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { autoTopUpQuery } from './queries.ts';
import { text } from './text.ts';

/** The saved card and when it is charged; nothing on a site that does not offer it. */
export function AutoTopUpPanel() {
  const t = useTranslate();
  const found = useQuery(autoTopUpQuery);
  if (found.error)
    return (
      <Panel title={t(text.autoTitle)}>
        <LoadError error={found.error} onRetry={found.refetch} />
      </Panel>
    );
  const { data } = found;
  if (!data || (!data.available && data.card === '')) return null;
  return (
    <Panel title={t(text.autoTitle)} hint={t(text.autoHint)}>
      <Stack gap="md">
        <Card data={data} />
        {(data.problem === 'declined' || data.problem === 'authentication') && (
          <Notice tone="bad">{t(text[data.problem])}</Notice>
        )}
        {data.card !== '' && <Terms key={JSON.stringify(data)} data={data} />}
      </Stack>
    </Panel>
  );
}

function useChange<Input, Result>(run: (input: Input) => Promise<Result>, quiet = false) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => client.invalidateQueries({ queryKey: autoTopUpQuery.queryKey }),
    meta: { quiet },
  });
}

function Card({ data: { available, card } }: { data: AutoTopUpData }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const save = useChange(() => call(autoTopUpApi.card, {}));
  const remove = useChange(() => call(autoTopUpApi.removeCard, {}));
  const open = () =>
    save.mutate(undefined, { onSuccess: ({ pay_link: link }) => window.location.assign(link) });
  const ask = async () => {
    const words = { title: t(text.removeCardTitle, { card }), body: t(text.removeCardBody) };
    if (!(await confirm({ ...words, action: t(text.removeCard), danger: true }))) return;
    remove.mutate(undefined, { onSuccess: () => toast.good(t(text.cardRemoved)) });
  };
  return (
    <Group justify="space-between" gap="sm">
      <span>{card === '' ? t(text.autoNoCard) : card}</span>
      <Group gap="xs">
        {available && (
          <MutationButton variant="default" loading={save.isPending} onClick={open}>
            {t(card === '' ? text.saveCard : text.otherCard)}
          </MutationButton>
        )}
        {card !== '' && (
          <MutationButton variant="default" loading={remove.isPending} onClick={() => void ask()}>
            {t(text.removeCard)}
          </MutationButton>
        )}
      </Group>
    </Group>
  );
}

/** When the card is charged, with how much, and at most how much in a month. */
function Terms({ data }: { data: AutoTopUpData }) {
  const t = useTranslate();
  const language = useLanguage();
  const [enabled, setEnabled] = useState(data.enabled);
  const [below, setBelow] = useState<number | string>(data.below);
  const [amount, setAmount] = useState<number | string>(data.amount);
  const [limit, setLimit] = useState<number | string>(data.month_limit);
  const save = useChange(
    () =>
      call(autoTopUpApi.set, {
        enabled,
        below: Number(below),
        amount: Number(amount),
        month_limit: Number(limit),
      }),
    true,
  );
  const isValid = [below, amount, limit].every((value) => Number(value) >= 1);
  const field = { min: 1, max: 100_000, allowDecimal: false, thousandSeparator: ',' } as const;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: () => toast.good(t(text.autoSaved)) });
      }}
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing={14}>
          <NumberInput {...field} label={t(text.autoBelow)} value={below} onChange={setBelow} />
          <NumberInput {...field} label={t(text.autoAmount)} value={amount} onChange={setAmount} />
          <NumberInput
            {...field}
            label={t(text.autoLimit)}
            description={t(text.autoCharged, { amount: data.charged })}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={limit}
            onChange={setLimit}
          />
        </SimpleGrid>
        {save.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(save.error, language)}
          </Notice>
        )}
        <Group justify="space-between" gap="sm">
          <Switch
            label={t(text.autoOn)}
            checked={enabled}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
          <MutationButton type="submit" disabled={!isValid} loading={save.isPending}>
            {t(text.autoSave)}
          </MutationButton>
        </Group>
      </Stack>
    </form>
  );
}
