import { ActionIcon, Button, Group, PasswordInput, Select, Skeleton, Stack, TextInput } from '@mantine/core';
import {
  alarmApi,
  alarmNeeds,
  type AlarmPlaceData,
  type AlarmService,
  alarmServices,
} from '@tollgate/contract';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { useDemoDisabled } from '../../shared/demo/use-demo-disabled.ts';
import { toastWhenDone } from '../../shared/feedback/toast.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { Notice } from '../../ui/notice.tsx';
import classes from './providers/providers.module.css';

const text = texts({
  title: { zh: '消息服务', en: 'Services' },
  hint: {
    zh: '每条告警发送到每个服务一次，各自重试。',
    en: 'Each alarm goes to each service once; each is retried for itself.',
  },
  none: { zh: '尚未添加消息服务。', en: 'No service yet.' },
  add: { zh: '添加消息服务', en: 'Add a service' },
  service: { zh: '服务', en: 'Service' },
  name: { zh: '名称（可不填）', en: 'Name (optional)' },
  address: { zh: '地址', en: 'Address' },
  addressHint: {
    zh: '机器人的 Webhook 地址或服务器地址',
    en: 'The webhook’s address, or that of the server',
  },
  ownServer: { zh: '留空使用官方服务器', en: 'Empty for the official server' },
  secret: { zh: '签名密钥或访问凭证', en: 'Signing secret or token' },
  secretHint: { zh: '保存后不再显示', en: 'Never shown again after saving' },
  receiver: { zh: 'Telegram 会话 ID', en: 'Telegram chat' },
  save: { zh: '添加', en: 'Add' },
  cancel: { zh: '取消', en: 'Cancel' },
  remove: { zh: '删除 {name}', en: 'Remove {name}' },
  removeBody: {
    zh: '尚未送达的告警不会再发到这里。',
    en: 'Alarms that are not delivered yet will not go there.',
  },
  removeAction: { zh: '删除', en: 'Remove' },
  removed: { zh: '已删除', en: 'Removed' },
});

const placesQuery = queryOptions({
  queryKey: ['alarm-places'],
  queryFn: ({ signal }) => call(alarmApi.places, {}, { signal }),
});

const useRefetch = () => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: placesQuery.queryKey });
};

/** The services that alarms are posted to; root adds and removes them. */
export function AlarmPlaces() {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(placesQuery);
  const [isAdding, setAdding] = useState(false);
  if (error && data === undefined) return <LoadError error={error} onRetry={refetch} />;
  if (data === undefined) return <Skeleton height={80} />;
  return (
    <section className={classes.providers} aria-label={t(text.title)}>
      <div>
        <h3 className={classes.title}>{t(text.title)}</h3>
        <p className={classes.hint}>{t(data.length === 0 ? text.none : text.hint)}</p>
      </div>
      {data.length > 0 && (
        <ul className={classes.list}>
          {data.map((place) => (
            <PlaceRow key={place.id} place={place} />
          ))}
        </ul>
      )}
      {isAdding ? (
        <NewPlace onDone={() => setAdding(false)} />
      ) : (
        <Button
          variant="default"
          className={classes.add}
          leftSection={<Plus size={16} />}
          onClick={() => setAdding(true)}
        >
          {t(text.add)}
        </Button>
      )}
    </section>
  );
}

function PlaceRow({ place: { id, service, name, host, receiver } }: { place: AlarmPlaceData }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const refetch = useRefetch();
  const remove = useMutation({ mutationFn: () => call(alarmApi.removePlace, { id }), onSettled: refetch });
  const label = name || service;
  const ask = async () => {
    const title = t(text.remove, { name: label });
    const asked = { title, body: t(text.removeBody), action: t(text.removeAction), danger: true };
    if (await confirm(asked)) await toastWhenDone(remove.mutateAsync(), t(text.removed));
  };
  return (
    <li className={classes.row}>
      <div className={classes.main}>
        <div className={classes.name}>{label}</div>
        <p className={classes.hint}>{[service, host, receiver].filter((part) => part !== '').join(' · ')}</p>
      </div>
      <ActionIcon
        aria-label={t(text.remove, { name: label })}
        {...useDemoDisabled()}
        onClick={() => void ask()}
      >
        <Trash2 size={15} />
      </ActionIcon>
    </li>
  );
}

const empty = { name: '', address: '', secret: '', receiver: '' };
/** Services with a server of their own choice; all others need their address. */
const ownAddress: readonly AlarmService[] = ['Telegram', 'Bark'];
/** Services without a secret. */
const noSecret: readonly AlarmService[] = ['Slack', 'WeCom'];

function NewPlace({ onDone }: { onDone: () => void }) {
  const t = useTranslate();
  const language = useLanguage();
  const refetch = useRefetch();
  const [service, setService] = useState<AlarmService>('Slack');
  const [form, setForm] = useState(empty);
  const needs = alarmNeeds[service];
  const add = useMutation({
    mutationFn: () =>
      call(alarmApi.addPlace, { service, ...form, ...(noSecret.includes(service) && { secret: '' }) }),
    onSuccess: async () => {
      await refetch();
      onDone();
    },
    meta: { quiet: true },
  });
  const field = (name: keyof typeof empty) => ({
    value: form[name],
    required: needs.some((each) => each === name),
    onChange: (event: FormEvent<HTMLInputElement>) => setForm({ ...form, [name]: event.currentTarget.value }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack gap="sm">
        <Select
          label={t(text.service)}
          data={[...alarmServices]}
          value={service}
          allowDeselect={false}
          onChange={(value) => setService(alarmServices.find((each) => each === value) ?? service)}
        />
        <TextInput label={t(text.name)} maxLength={64} {...field('name')} />
        <TextInput
          label={t(text.address)}
          description={t(ownAddress.includes(service) ? text.ownServer : text.addressHint)}
          maxLength={2_048}
          spellCheck={false}
          {...field('address')}
        />
        {!noSecret.includes(service) && (
          <PasswordInput
            label={t(text.secret)}
            description={t(text.secretHint)}
            autoComplete="new-password"
            maxLength={1_024}
            {...field('secret')}
          />
        )}
        {service === 'Telegram' && (
          <TextInput label={t(text.receiver)} maxLength={128} {...field('receiver')} />
        )}
        {add.error && <Notice tone="bad">{errorMessage(add.error, language)}</Notice>}
        <Group gap="xs">
          <MutationButton type="submit" loading={add.isPending}>
            {t(text.save)}
          </MutationButton>
          <Button variant="default" onClick={onDone}>
            {t(text.cancel)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
