import { Button, Group, NumberInput, Skeleton, Stack, TextInput } from '@mantine/core';
import { keptHours, type PastRoute, trafficApi } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { nothing } from '../../../lib/format/nothing.ts';
import { texts, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { kindLabel } from '../../../shared/audit/kind-tag.tsx';
import { Time } from '../../../shared/date-time/time.tsx';
import { failureText } from '../../../shared/health-bars/failure-text.ts';
import { HealthBars, ratesOf } from '../../../shared/health-bars/health-bars.tsx';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { Notice } from '../../../ui/notice.tsx';
import classes from './route.module.css';

const text = texts({
  hint: {
    zh: '当时的概率、冷却和限额没有保存；可知的是各渠道的结果和此后的改动。',
    en: 'The odds, cooldowns and limits of then are not kept: only results of channels, and changes since.',
  },
  model: { zh: '模型', en: 'Model' },
  group: { zh: '分组', en: 'Group' },
  ago: { zh: '多少分钟前', en: 'Minutes ago' },
  show: { zh: '查看', en: 'Show' },
  around: { zh: '前后五分钟的尝试', en: 'Attempts within five minutes' },
  channel: { zh: '渠道', en: 'Channel' },
  good: { zh: '成功', en: 'Succeeded' },
  bad: { zh: '失败', en: 'Failed' },
  wait: { zh: '首字', en: 'First token' },
  minutes: { zh: '逐分钟', en: 'By the minute' },
  notNow: { zh: '此刻不在该分组中提供该模型', en: 'does not offer the model in the group now' },
  none: { zh: '那时没有渠道为该模型被尝试。', en: 'No channel was tried for the model then.' },
  changes: { zh: '此后的改动', en: 'Changes since then' },
  noChanges: {
    zh: '此后渠道与选择规则没有改动。',
    en: 'Channels and rules of choice have not changed since.',
  },
});

interface Asked {
  model: string;
  group: string;
  at: number;
}

/** Which channels served a model at a moment of the last day, and what has changed since. */
export function RoutePast({ model, group }: Pick<Asked, 'model' | 'group'>) {
  const t = useTranslate();
  const [form, setForm] = useState({ model, group: group || 'default', ago: 60 });
  const [asked, setAsked] = useState<Asked | undefined>();
  return (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const at = Math.floor(Date.now() / 1000) - form.ago * 60;
          setAsked({ model: form.model.trim(), group: form.group.trim() || 'default', at });
        }}
      >
        <Stack gap="sm">
          <Notice>{t(text.hint)}</Notice>
          <TextInput
            label={t(text.model)}
            required
            maxLength={255}
            value={form.model}
            onChange={(event) => setForm({ ...form, model: event.currentTarget.value })}
          />
          <Group gap="sm" grow>
            <TextInput
              label={t(text.group)}
              maxLength={64}
              value={form.group}
              onChange={(event) => setForm({ ...form, group: event.currentTarget.value })}
            />
            <NumberInput
              label={t(text.ago)}
              min={1}
              max={keptHours * 60 - 1}
              clampBehavior="strict"
              allowDecimal={false}
              value={form.ago}
              onChange={(value) => setForm({ ...form, ago: Number(value) || 60 })}
            />
          </Group>
          <Group>
            <Button type="submit">{t(text.show)}</Button>
          </Group>
        </Stack>
      </form>
      {asked && <Past asked={asked} />}
    </Stack>
  );
}

function Past({ asked }: { asked: Asked }) {
  const t = useTranslate();
  const { data, error, refetch } = useQuery({
    queryKey: ['routing', 'past', asked],
    queryFn: ({ signal }) => call(trafficApi.past, asked, { signal }),
    gcTime: 0,
    retry: false,
  });
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={160} />;
  return (
    <>
      <section>
        <h3 className={classes.title}>
          {t(text.around)} · <Time at={asked.at} seconds />
        </h3>
        {data.channels.length === 0 ? (
          <p className={classes.quiet}>{t(text.none)}</p>
        ) : (
          <Channels data={data} />
        )}
      </section>
      <section>
        <h3 className={classes.title}>{t(text.changes)}</h3>
        {data.changes.length === 0 ? (
          <p className={classes.quiet}>{t(text.noChanges)}</p>
        ) : (
          <ul className={classes.changes}>
            {data.changes.map(({ at, kind, target, fields }, place) => (
              <li key={place}>
                <Time at={at} seconds /> · {kindLabel(kind, t)} · {target}
                {fields.length > 0 && ` (${fields.join(', ')})`}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

const isFailure = (kind: string): kind is keyof typeof failureText => Object.hasOwn(failureText, kind);

function Channels({ data }: { data: PastRoute }) {
  const t = useTranslate();
  const language = useLanguage();
  const words = (failures: PastRoute['channels'][number]['failures']) =>
    Object.entries(failures)
      .flatMap(([kind, count]) => (isFailure(kind) ? t(failureText[kind], { count }) : []))
      .join(', ');
  return (
    <div className={classes.scroll}>
      <table className={classes.figures}>
        <thead>
          <tr>
            <th scope="col">{t(text.channel)}</th>
            <th scope="col">{t(text.good)}</th>
            <th scope="col">{t(text.bad)}</th>
            <th scope="col">{t(text.wait)}</th>
            <th scope="col">{t(text.minutes)}</th>
          </tr>
        </thead>
        <tbody>
          {data.channels.map(
            ({ channel, name, succeeded, failed, failures, wait, minutes, in_group: isIn }) => (
              <tr key={channel}>
                <th scope="row">
                  {`${name} #${channel}`}
                  {!isIn && <span className={classes.note}>{t(text.notNow)}</span>}
                  {failed > 0 && <span className={classes.note}>{words(failures)}</span>}
                </th>
                <td className="tabular">{formatNumber(succeeded, language)}</td>
                <td className="tabular">{formatNumber(failed, language)}</td>
                <td className="tabular">{wait === null ? nothing : formatDuration(wait)}</td>
                <td>
                  <HealthBars
                    rates={ratesOf(
                      minutes.map((minute) => ({
                        tries: minute.succeeded + minute.failed,
                        failed: minute.failed,
                      })),
                    )}
                  />
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
