import { Button, Group, NumberInput, Progress, Select, Stack, TextInput } from '@mantine/core';
import {
  keptHours,
  moneyDigits,
  type ReplayData,
  type ReplayFigures,
  type ReplayInput,
  type ReplayOutcome,
  routingPolicies,
  trafficApi,
} from '@tollgate/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatDuration, formatNumber, formatPercent } from '../../../lib/format/number-format.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { texts, useLanguage, useTranslate, type Text } from '../../../lib/i18n.ts';
import { Money } from '../../../shared/money/money.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { policyWords } from '../../../shared/wire-words/routing-policy.ts';
import { Notice } from '../../../ui/notice.tsx';
import classes from './route.module.css';

const text = texts({
  hint: {
    zh: '用各渠道当时逐分钟的成功率和等待，推算改动后的结果；不会发送任何调用。',
    en: 'Computed from each channel’s success and waiting in each minute of then; nothing is sent.',
  },
  hours: { zh: '最近的小时数', en: 'Last hours' },
  model: { zh: '模型（可不填）', en: 'Model (optional)' },
  group: { zh: '分组（可不填）', en: 'Group (optional)' },
  without: { zh: '去掉渠道 ID（可不填）', en: 'Without channel id (optional)' },
  policy: { zh: '改用策略', en: 'With policy' },
  asNow: { zh: '不变', en: 'As it is' },
  start: { zh: '重放', en: 'Replay' },
  stop: { zh: '停止', en: 'Stop' },
  progress: { zh: '重放进度', en: 'Progress of the replay' },
  failed: { zh: '重放没有完成，请重试。', en: 'The replay did not finish. Please try again.' },
  none: { zh: '这段时间没有调用。', en: 'There were no calls in this time.' },
  whole: { zh: '全部调用', en: 'All calls' },
  sampled: {
    zh: '{total} 次调用中重放了 {replayed} 次。',
    en: '{replayed} of {total} calls were replayed.',
  },
  guessed: {
    zh: '{share} 的调用落到没有记录的渠道，其结果是猜测。',
    en: '{share} of the calls go to channels without a record; their results are guesses.',
  },
  uncosted: {
    zh: '{count} 次调用的成本未知，不计入成本与毛利。',
    en: 'Cost and margin leave out calls of unknown cost: {count}.',
  },
  policies: {
    zh: '“最空闲”与“会话固定”按权重推算：当时的并发与会话没有保存。',
    en: '“Least busy” and “per session” count as draws by weight: load and sessions of then are not kept.',
  },
  actual: { zh: '实际', en: 'Actual' },
  present: { zh: '此刻的配置', en: 'Present' },
  changed: { zh: '改动后', en: 'Changed' },
  success: { zh: '成功率', en: 'Success' },
  wait: { zh: '首字等待', en: 'First token' },
  charge: { zh: '收费', en: 'Charges' },
  cost: { zh: '成本', en: 'Cost' },
  margin: { zh: '毛利', en: 'Margin' },
  figure: { zh: '指标', en: 'Figure' },
  channels: { zh: '各渠道回答的调用', en: 'Calls by channel' },
  channel: { zh: '渠道', en: 'Channel' },
  row: { zh: '{model} · {group} · {calls} 次调用', en: '{model} · {group} · {calls} calls' },
});

const pollMs = 500;
const empty: ReplayInput = { hours: 24, model: '', group: '', without: 0, policy: '' };

/** One replay: start, polling, stop. The server forgets it when the component unmounts. */
function useReplay() {
  const [id, setId] = useState<string | null>(null);
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: (input: ReplayInput) => call(trafficApi.start, input),
    onSuccess: (started) => setId(started.id),
  });
  const { data, error } = useQuery({
    queryKey: ['replay', id],
    queryFn: ({ signal }) => call(trafficApi.get, { replay: id ?? '' }, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollMs : false),
  });
  useEffect(() => {
    if (id === null) return undefined;
    // It may be gone already, which is the desired result.
    return () => {
      client.removeQueries({ queryKey: ['replay', id] });
      call(trafficApi.stop, { replay: id }).catch(() => undefined);
    };
  }, [id, client]);
  return {
    start: (input: ReplayInput) => {
      setId(null);
      start.mutate(input);
    },
    stop: () => setId(null),
    isStarting: start.isPending || (id !== null && data === undefined && error === null),
    data: id === null ? undefined : data,
    error,
  };
}

/** Past calls without a channel, or with another policy, beside what they were. */
export function RouteReplay({ model, group }: Pick<ReplayInput, 'model' | 'group'>) {
  const t = useTranslate();
  const [form, setForm] = useState<ReplayInput>({ ...empty, model, group });
  const replay = useReplay();
  const change = (fields: Partial<ReplayInput>) => setForm({ ...form, ...fields });
  const isRunning = replay.data?.state === 'running';
  return (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          replay.start({ ...form, model: form.model.trim(), group: form.group.trim() });
        }}
      >
        <Stack gap="sm">
          <Notice>{t(text.hint)}</Notice>
          <Group gap="sm" grow>
            <TextInput
              label={t(text.model)}
              maxLength={255}
              value={form.model}
              onChange={(event) => change({ model: event.currentTarget.value })}
            />
            <TextInput
              label={t(text.group)}
              maxLength={64}
              value={form.group}
              onChange={(event) => change({ group: event.currentTarget.value })}
            />
          </Group>
          <Group gap="sm" grow>
            <NumberInput
              label={t(text.hours)}
              min={1}
              max={keptHours}
              clampBehavior="strict"
              allowDecimal={false}
              value={form.hours}
              onChange={(value) => change({ hours: Number(value) || 24 })}
            />
            <NumberInput
              label={t(text.without)}
              min={0}
              allowDecimal={false}
              value={form.without || ''}
              onChange={(value) => change({ without: Math.max(0, Math.floor(Number(value) || 0)) })}
            />
          </Group>
          <Select
            label={t(text.policy)}
            data={[
              { value: '', label: t(text.asNow) },
              ...routingPolicies.map((value) => ({ value, label: t(policyWords[value]) })),
            ]}
            value={form.policy}
            allowDeselect={false}
            onChange={(value) => change({ policy: (value ?? '') as ReplayInput['policy'] })}
          />
          <Group>
            <Button type="submit" loading={replay.isStarting} disabled={isRunning}>
              {t(text.start)}
            </Button>
            {isRunning && (
              <Button variant="default" onClick={replay.stop}>
                {t(text.stop)}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {replay.error && <LoadError error={replay.error} onRetry={() => replay.start(form)} />}
      {replay.data && <State data={replay.data} policy={form.policy} />}
    </Stack>
  );
}

function State({ data: { state, progress, outcome }, policy }: { data: ReplayData; policy: string }) {
  const t = useTranslate();
  if (state === 'running') return <Progress value={progress * 100} aria-label={t(text.progress)} />;
  if (!outcome) return <Notice tone="bad">{t(text.failed)}</Notice>;
  if (outcome.replayed === 0) return <Notice>{t(text.none)}</Notice>;
  return <Outcome outcome={outcome} policy={policy} />;
}

function Outcome({ outcome, policy }: { outcome: ReplayOutcome; policy: string }) {
  const t = useTranslate();
  const language = useLanguage();
  const { total, replayed, guessed, uncosted, whole, rows, channels } = outcome;
  const number = (value: number) => formatNumber(value, language);
  return (
    <>
      <Stack gap={4}>
        {replayed < total && (
          <p className={classes.quiet}>
            {t(text.sampled, { replayed: number(replayed), total: number(total) })}
          </p>
        )}
        {guessed > 0 && (
          <p className={classes.quiet}>{t(text.guessed, { share: formatPercent(guessed, language) })}</p>
        )}
        {uncosted > 0 && <p className={classes.quiet}>{t(text.uncosted, { count: number(uncosted) })}</p>}
        {(policy === 'least_busy' || policy === 'sticky') && (
          <p className={classes.quiet}>{t(text.policies)}</p>
        )}
      </Stack>
      <Sides title={t(text.whole)} sides={whole} />
      <section>
        <h3 className={classes.title}>{t(text.channels)}</h3>
        <Table label={t(text.channels)} first={t(text.channel)}>
          {channels.map(({ channel, name, actual, present, changed }) => (
            <tr key={channel}>
              <th scope="row">{`${name} #${channel}`}</th>
              {[actual, present, changed].map((calls, place) => (
                <td key={place} className="tabular">
                  {number(Math.round(calls))}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </section>
      {rows.length > 1 &&
        rows.map((row) => (
          <Sides
            key={`${row.model}\n${row.group}`}
            title={t(text.row, { model: row.model, group: row.group, calls: number(row.calls) })}
            sides={row}
          />
        ))}
    </>
  );
}

function Table({ label, first, children }: { label: string; first: string; children: ReactNode }) {
  const t = useTranslate();
  return (
    <div className={classes.scroll}>
      <table className={classes.figures} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {([text.actual, text.present, text.changed] as const).map((side, place) => (
              <th key={place} scope="col">
                {t(side)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface SidesProps {
  title: string;
  sides: ReplayOutcome['whole'];
}

function Sides({ title, sides: { actual, present, changed } }: SidesProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const sides = [actual, present, changed];
  const money = sides.flatMap(({ charge, cost, margin }) => [charge, cost ?? 0, margin ?? 0]);
  const digits = moneyDigits(money, perUnit);
  const amount = (quota: number | null) =>
    quota === null ? nothing : <Money quota={quota} digits={digits} />;
  const lines: [Text, (figures: ReplayFigures) => ReactNode][] = [
    [text.success, ({ success }) => formatPercent(success, language, 2)],
    [text.wait, ({ wait }) => (wait === null ? nothing : formatDuration(wait))],
    [text.charge, ({ charge }) => amount(charge)],
    [text.cost, ({ cost }) => amount(cost)],
    [text.margin, ({ margin }) => amount(margin)],
  ];
  return (
    <section>
      <h3 className={classes.title}>{title}</h3>
      <Table label={title} first={t(text.figure)}>
        {lines.map(([name, show], line) => (
          <tr key={line}>
            <th scope="row">{t(name)}</th>
            {sides.map((figures, place) => (
              <td key={place} className="tabular">
                {show(figures)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </section>
  );
}
