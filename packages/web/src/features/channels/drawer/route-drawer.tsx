import { Button, Drawer, Group, NumberInput, Select, Stack, Tabs, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ExplainInput, type RouteCandidate, type RouteReason, routingApi } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Route } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { formatNumber, formatPercent } from '../../../lib/format/number-format.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { texts, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { phoneQuery } from '../../../lib/screen.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { groupsQuery } from '../../../shared/group-tag/groups-query.ts';
import { policyWords } from '../../../shared/wire-words/routing-policy.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { RoutePast } from './route-past.tsx';
import { RouteReplay } from './route-replay.tsx';

const text = texts({
  title: { zh: '为什么是这个渠道？', en: 'Why this channel?' },
  now: { zh: '此刻', en: 'Now' },
  past: { zh: '过去的时刻', en: 'Past moment' },
  replay: { zh: '重放', en: 'Replay' },
  hint: {
    zh: '此刻的一次调用会选到哪个渠道；不会真正发送。',
    en: 'Which channel a call would get at this moment; nothing is sent.',
  },
  model: { zh: '模型', en: 'Model' },
  group: { zh: '分组', en: 'Group' },
  ofKey: { zh: '令牌的分组', en: 'That of the key' },
  key: { zh: '令牌 ID（可不填）', en: 'Key id (optional)' },
  length: { zh: '输入 Token 数（可不填）', en: 'Input tokens (optional)' },
  session: { zh: '会话（可不填）', en: 'Session (optional)' },
  explain: { zh: '说明', en: 'Explain' },
  close: { zh: '关闭', en: 'Close' },
  channel: { zh: '渠道', en: 'Channel' },
  odds: { zh: '概率', en: 'Odds' },
  reason: { zh: '原因', en: 'Reason' },
  priority: { zh: '优先级', en: 'Priority' },
  weight: { zh: '权重', en: 'Weight' },
  step: { zh: '{model} · {policy}', en: '{model} · {policy}' },
  fallback: { zh: '后备模型 {model} · {policy}', en: 'Fallback {model} · {policy}' },
  none: { zh: '没有渠道', en: 'There are no channels' },
  refused: { zh: '调用会被拒绝：{reason}', en: 'The call is refused: {reason}' },
  noChannel: { zh: '没有可用渠道，调用会失败。', en: 'No channel is left: the call fails.' },
  inside: { zh: '可用', en: 'In' },
  lastResort: { zh: '不得已而用：{reason}', en: 'Last resort: {reason}' },
});

const reasonWords = texts({
  unpriced: { zh: '没有价格', en: 'no price for the model' },
  too_long: { zh: '输入过长', en: 'input too long' },
  cooldown: { zh: '连续失败，冷却中', en: 'cooling down after failures' },
  tried: { zh: '已经失败', en: 'has failed already' },
  at_limit: { zh: '已达限额', en: 'at a limit of its own' },
  lower_priority: { zh: '优先级较低', en: 'lower priority' },
  dearer: { zh: '成本较高', en: 'higher cost' },
  region: { zh: '不在规则允许的地区', en: 'outside the permitted regions' },
  retention: { zh: '供应商会保留数据', en: 'its vendor retains data' },
  other_session: { zh: '会话固定在其他渠道', en: 'the session has another channel' },
  other_model: { zh: '不提供该模型', en: 'does not offer the model' },
  other_group: { zh: '不属于该分组', en: 'not in the group' },
  disabled: { zh: '已禁用', en: 'disabled' },
  auto_disabled: { zh: '已自动禁用', en: 'disabled automatically' },
  no_key: { zh: '没有可用密钥', en: 'no enabled key' },
  not_selected: { zh: '已指定其他渠道', en: 'another channel is selected' },
}) satisfies Record<RouteReason, unknown>;

interface RouteDrawerProps {
  opened: boolean;
  /** Filters of the list, as the first question. */
  model: string;
  group: string;
  onClose: () => void;
}

/** Explains which channels a call would get, and why not the others. */
export function RouteDrawer({ opened, model, group, onClose }: RouteDrawerProps) {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={t(text.title)}
      size={isPhone ? '100%' : 720}
      closeButtonProps={{ 'aria-label': t(text.close) }}
    >
      {opened && (
        <Tabs defaultValue="now" keepMounted={false}>
          <Tabs.List aria-label={t(text.title)} mb="md">
            <Tabs.Tab value="now">{t(text.now)}</Tabs.Tab>
            <Tabs.Tab value="past">{t(text.past)}</Tabs.Tab>
            <Tabs.Tab value="replay">{t(text.replay)}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="now">
            <Question model={model} group={group} />
          </Tabs.Panel>
          <Tabs.Panel value="past">
            <RoutePast model={model} group={group} />
          </Tabs.Panel>
          <Tabs.Panel value="replay">
            <RouteReplay model={model} group={group} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  );
}

const empty = { model: '', group: '', token: 0, input_tokens: 0, session_key: '', tried: [] };

function Question({ model, group }: Pick<RouteDrawerProps, 'model' | 'group'>) {
  const t = useTranslate();
  const { data: groups = [] } = useQuery(groupsQuery);
  const [form, setForm] = useState<ExplainInput>({ ...empty, model, group: group || 'default' });
  const [asked, setAsked] = useState<ExplainInput | undefined>();
  const change = (fields: Partial<ExplainInput>) => setForm({ ...form, ...fields });
  const count = (value: number | string) => Math.max(0, Math.floor(Number(value) || 0));
  return (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setAsked({ ...form, model: form.model.trim() });
        }}
      >
        <Stack gap="sm">
          <Notice>{t(text.hint)}</Notice>
          <TextInput
            label={t(text.model)}
            required
            maxLength={255}
            value={form.model}
            onChange={(event) => change({ model: event.currentTarget.value })}
          />
          <Group gap="sm" grow>
            <Select
              label={t(text.group)}
              data={[
                { value: '', label: t(text.ofKey) },
                ...groups.map((name) => ({ value: name, label: name })),
              ]}
              value={form.group}
              allowDeselect={false}
              onChange={(value) => change({ group: value ?? '' })}
            />
            <NumberInput
              label={t(text.key)}
              min={0}
              allowDecimal={false}
              value={form.token || ''}
              onChange={(value) => change({ token: count(value) })}
            />
          </Group>
          <Group gap="sm" grow>
            <NumberInput
              label={t(text.length)}
              min={0}
              allowDecimal={false}
              value={form.input_tokens || ''}
              onChange={(value) => change({ input_tokens: count(value) })}
            />
            <TextInput
              label={t(text.session)}
              value={form.session_key}
              maxLength={4_096}
              onChange={(event) => change({ session_key: event.currentTarget.value })}
            />
          </Group>
          <Group>
            <Button type="submit">{t(text.explain)}</Button>
          </Group>
        </Stack>
      </form>
      {asked && <Answer asked={asked} />}
    </Stack>
  );
}

function Answer({ asked }: { asked: ExplainInput }) {
  const t = useTranslate();
  const query = useQuery({
    queryKey: ['routing', asked],
    queryFn: ({ signal }) => call(routingApi.explain, asked, { signal }),
    gcTime: 0,
  });
  const { refusal = '', steps = [] } = query.data ?? {};
  if (refusal !== '') return <Notice tone="bad">{t(text.refused, { reason: refusal })}</Notice>;
  if (!query.data) return <Steps query={{ ...query, data: undefined }} title={asked.model} />;
  return (
    <>
      {!steps.some(({ serves }) => serves) && <Notice tone="bad">{t(text.noChannel)}</Notice>}
      {steps.map((step, place) => (
        <Steps
          key={step.model}
          query={{ ...query, data: step.channels }}
          title={t(place === 0 ? text.step : text.fallback, {
            model: step.model,
            policy: t(policyWords[step.policy]),
          })}
        />
      ))}
    </>
  );
}

type RowsQuery = Parameters<typeof DataTable<RouteCandidate>>[0]['query'];

function Steps({ title, query }: { title: string; query: RowsQuery }) {
  const t = useTranslate();
  return (
    <section>
      <h3 style={{ margin: '0 0 8px', fontSize: 'inherit' }}>{title}</h3>
      <DataTable<RouteCandidate>
        name="route"
        label={title}
        columns={columns}
        rowId={({ channel }) => String(channel)}
        query={query}
        faded={({ odds }) => odds === 0}
        empty={<EmptyState icon={<Route size={20} />} title={t(text.none)} />}
      />
    </section>
  );
}

const columns: Column<RouteCandidate>[] = [
  {
    id: 'channel',
    title: text.channel,
    role: 'title',
    fixed: true,
    render: ({ channel, name }) => `${name} #${channel}`,
  },
  { id: 'odds', title: text.odds, align: 'end', card: 'corner', render: ({ odds }) => <Odds odds={odds} /> },
  { id: 'reason', title: text.reason, card: 'line', render: (row) => <Reason row={row} /> },
  {
    id: 'priority',
    title: text.priority,
    align: 'end',
    roomy: true,
    render: ({ priority }) => <Count value={priority} />,
  },
  {
    id: 'weight',
    title: text.weight,
    align: 'end',
    roomy: true,
    render: ({ weight }) => <Count value={weight} />,
  },
];

function Odds({ odds }: Pick<RouteCandidate, 'odds'>) {
  const language = useLanguage();
  return odds === 0 ? nothing : <span className="tabular">{formatPercent(odds, language)}</span>;
}

function Count({ value }: { value: number }) {
  return <span className="tabular">{formatNumber(value, useLanguage())}</span>;
}

function Reason({ row: { odds, reason, until } }: { row: RouteCandidate }) {
  const t = useTranslate();
  const why = reason ? t(reasonWords[reason]) : t(text.inside);
  return (
    <>
      {odds > 0 && reason ? t(text.lastResort, { reason: why }) : why}
      {until > 0 && (
        <>
          {' · '}
          <Time at={until} seconds />
        </>
      )}
    </>
  );
}
