import { Button, Group, Progress, Select, Stack, TextInput } from '@mantine/core';
import {
  type DataOf,
  type FetchedSource,
  fetchedSources,
  reconciliationApi,
  type UsageFetch,
} from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { dateOf } from './columns.tsx';
import { formText } from './form-text.ts';
import classes from './reconciliation.module.css';
import { text } from './text.ts';

export type ReportChannels = DataOf<typeof reconciliationApi.channels>;

interface FetchFormProps {
  channels: ReportChannels;
  onTaken: (report: number) => void;
}

const day = 86_400;
const daysAgo = (days: number): string => dateOf(Math.floor(Date.now() / 1000) - days * day);
const secondsOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000 || 0;

interface Question {
  source: FetchedSource;
  key: string;
  start: string;
  end: string;
}

const pollMs = 500;

/** Stores a new key first, then starts the read, and polls until it has a report or failed. */
function useReading({ channels, onTaken }: FetchFormProps) {
  const [state, setState] = useState<UsageFetch>();
  const isStopped = useRef(false);
  const start = useMutation({
    mutationFn: async ({ source, key, start: first, end }: Question) => {
      isStopped.current = false;
      setState(undefined);
      const channel = channels[0]?.id ?? 0;
      if (key !== '') await call(reconciliationApi.saveKey, { channel, key });
      const ids = channels.map(({ id }) => id);
      const span = { start: secondsOf(first), end: secondsOf(end) };
      const { id } = await call(reconciliationApi.fetch, { source, channels: ids, ...span });
      return watch(id, setState, () => isStopped.current);
    },
    onSuccess: (report) => report > 0 && onTaken(report),
  });
  return { start, state, stop: () => void (isStopped.current = true) };
}

/** Returns the report's id, or 0 without a report. */
async function watch(
  fetch: string,
  onState: (state: UsageFetch | undefined) => void,
  isStopped: () => boolean,
): Promise<number> {
  for (;;) {
    if (isStopped()) {
      await call(reconciliationApi.stop, { fetch });
      onState(undefined);
      return 0;
    }
    const state = await call(reconciliationApi.progress, { fetch });
    onState(state);
    if (state.state !== 'running') return state.report;
    await new Promise((resolve) => {
      setTimeout(resolve, pollMs);
    });
  }
}

/** Fetches the usage from the vendor of the channels. */
export function FetchForm({ channels, onTaken }: FetchFormProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { start, stop, state } = useReading({ channels, onTaken });
  const [picked, setPicked] = useState<FetchedSource | null>(null);
  const [key, setKey] = useState('');
  const [first, setFirst] = useState(daysAgo(7));
  const [last, setLast] = useState(daysAgo(1));
  const source = picked ?? (channels.find((channel) => channel.source !== '')?.source || 'openai');
  const hasKey = channels.some((channel) => channel.has_key);
  return (
    <Stack gap="md">
      <Select
        label={t(formText.source)}
        data={fetchedSources.map((value) => ({ value, label: t(text[value]) }))}
        value={source}
        allowDeselect={false}
        onChange={(value) => setPicked(fetchedSources.find((each) => each === value) ?? null)}
      />
      <PasswordField
        label={t(formText.key)}
        description={t(hasKey ? formText.keyKept : formText.keyMissing)}
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <div className={classes.fields}>
        <DayField label={t(formText.start)} value={first} onChange={setFirst} />
        <DayField label={t(formText.end)} value={last} onChange={setLast} />
      </div>
      {start.error && (
        <Notice tone="bad" role="alert">
          {errorMessage(start.error, language)}
        </Notice>
      )}
      <Outcome state={state} />
      <Group>
        <Button
          loading={start.isPending}
          disabled={channels.length === 0 || (!hasKey && key.trim() === '')}
          onClick={() => start.mutate({ source, key: key.trim(), start: first, end: last })}
        >
          {t(formText.read)}
        </Button>
        {start.isPending && (
          <Button variant="default" onClick={stop}>
            {t(formText.stop)}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (day: string) => void;
}) {
  return (
    <TextInput
      type="date"
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Progress of a read, or its error. */
function Outcome({ state }: { state: UsageFetch | undefined }) {
  const t = useTranslate();
  if (!state || state.state === 'done') return null;
  if (state.state === 'running')
    return (
      <Stack gap={4}>
        <Progress value={100} animated aria-label={t(formText.read)} />
        <span className={classes.quiet} role="status">
          {t(formText.reading, { pages: state.pages })}
        </span>
      </Stack>
    );
  return (
    <Notice tone="bad" role="alert">
      {t(formText[state.fault ?? 'unreachable'])}. {state.detail}{' '}
      {state.retry_after > 0 && `${t(formText.retry, { seconds: state.retry_after })}. `}
      {t(formText.nothing)}
    </Notice>
  );
}
