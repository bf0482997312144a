import { Button, Group, Stack, TextInput } from '@mantine/core';
import {
  optionApi,
  type PriceSourceName,
  priceSourceNames,
  type PriceSourceState,
  type SyncReport,
} from '@tollgate/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Tag, type Tone } from '../../../ui/tag.tsx';
import classes from '../base/prices.module.css';
import { useRefreshLists } from '../base/queries.ts';
import { sourceNames, text } from './text.ts';
import { useListOption } from './use-list-option.ts';

type Places = Record<PriceSourceName, string>;

const placesQuery = queryOptions({
  queryKey: ['price-list-places'],
  queryFn: async ({ signal }): Promise<Places> => {
    const options = await call(optionApi.list, {}, { signal });
    const stored = options.find(({ key }) => key === 'PriceSyncSources')?.value;
    return JSON.parse(stored ?? '{}') as Places;
  },
});

const tones: Record<PriceSourceState['state'], Tone> = {
  ok: 'good',
  off: 'neutral',
  empty: 'warn',
  doubtful: 'warn',
  failed: 'bad',
};

/** The lists with their read status and address. */
export function Sources({ report, actions }: { report: SyncReport; actions: ReactNode }) {
  const t = useTranslate();
  const [open, setOpen] = useState(false);
  const reading = useRefreshLists();
  return (
    <Panel
      title={t(text.lists)}
      hint={t(text.checked, { time: formatDateTime(report.checked_time) })}
      actions={
        <Group gap="xs">
          {actions}
          <Button variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
            {t(text.addresses)}
          </Button>
          <Button loading={reading.isPending} onClick={() => reading.mutate()}>
            {t(text.read)}
          </Button>
        </Group>
      }
    >
      <div className={classes.sources}>
        {report.sources.map((source) => (
          <Source key={source.source} source={source} />
        ))}
        {open && <PlacesForm />}
      </div>
    </Panel>
  );
}

function Source({ source: { source, state, models, free, ...failure } }: { source: PriceSourceState }) {
  const t = useTranslate();
  return (
    <div className={classes.offer}>
      <b>{sourceNames[source]}</b>
      <Tag tone={tones[state]}>{t(text[state], { count: models })}</Tag>
      {free > 0 && <span className={classes.quiet}>{t(text.free, { count: free })}</span>}
      {failure.cause !== '' && (
        <span className={classes.quiet} title={failure.reason}>
          {t(text[failure.cause], { status: failure.status })}
        </span>
      )}
    </div>
  );
}

function PlacesForm() {
  const { data } = useQuery(placesQuery);
  return data ? <PlaceFields stored={data} /> : null;
}

function PlaceFields({ stored }: { stored: Places }) {
  const t = useTranslate();
  const client = useQueryClient();
  const [places, setPlaces] = useState(stored);
  const option = useListOption();
  const save = () =>
    option.mutate(
      { key: 'PriceSyncSources', value: JSON.stringify(places) },
      {
        onSuccess: () => {
          void client.invalidateQueries({ queryKey: placesQuery.queryKey });
          toast.good(t(text.savedAddresses));
        },
      },
    );
  return (
    <Stack gap="xs">
      <span className={classes.quiet}>{t(text.addressHint)}</span>
      {priceSourceNames.map((name) => (
        <TextInput
          key={name}
          label={sourceNames[name]}
          value={places[name]}
          onChange={(event) => setPlaces({ ...places, [name]: event.currentTarget.value })}
        />
      ))}
      <Group>
        <MutationButton loading={option.isPending} onClick={save}>
          {t(text.saveAddresses)}
        </MutationButton>
      </Group>
    </Stack>
  );
}
