import { Autocomplete, Checkbox, Select, Skeleton, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { channelApi, type DataOf, replacementApi, type ServingChannel } from '@tollgate/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { nothing } from '../../lib/format/nothing.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { texts, type Translate, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { MutationButton } from '../demo/mutation-button.tsx';
import { formatPrice, pricesOf } from '../prices/prices.ts';

const text = texts({
  model: { zh: '将停用的模型', en: 'Retiring model' },
  by: { zh: '替换为', en: 'Replace by' },
  suggested: { zh: '厂商建议：{model}', en: 'The vendor recommends {model}' },
  choose: { zh: '厂商没有建议，请选择模型', en: 'The vendor names no successor: choose a model' },
  channels: { zh: '渠道', en: 'Channels' },
  channel: { zh: '{name} #{id}：{upstream}（{day} 停用）', en: '{name} #{id}: {upstream}, retires {day}' },
  off: { zh: '{channel}，已禁用', en: '{channel}, disabled' },
  none: { zh: '没有渠道使用将停用的模型。', en: 'No channel uses a retiring model under this name.' },
  customers: {
    zh: '客户继续调用 {model}，按其价格付费：{price}。明细会写明实际使用的模型。',
    en: 'Customers go on calling {model} and pay its price: {price}. Receipts name the model that served.',
  },
  mapped: {
    zh: '{count} 个渠道按映射后的模型计费，客户在那里支付 {model} 的价格：{price}。',
    en: {
      one: 'One channel prices the mapped model: customers pay for {model} there, {price}.',
      other: '{count} channels price the mapped model: customers pay for {model} there, {price}.',
    },
  },
  mappedUnpriced: {
    zh: '{count} 个渠道按映射后的模型计费，而 {model} 没有价格：那里的调用会被拒绝。',
    en: {
      one: 'One channel prices the mapped model, and {model} has no price: its calls are refused.',
      other: '{count} channels price the mapped model, and {model} has no price: their calls are refused.',
    },
  },
  list: { zh: '厂商标价：{prices}', en: 'List prices of the vendor: {prices}' },
  loss: {
    zh: '{model} 的标价高于客户支付的价格，调用可能亏损。',
    en: '{model} lists for more than customers pay: its calls may lose money.',
  },
  tokens: { zh: '每百万输入 {input}，输出 {output}', en: '{input} in, {output} out per million tokens' },
  call: { zh: '每次 {price}', en: '{price} per call' },
  unpriced: { zh: '没有价格', en: 'no price' },
  listed: { zh: '{model} {input} / {output}', en: '{model} {input} / {output}' },
  replace: {
    zh: '在 {count} 个渠道上替换',
    en: { one: 'Replace on one channel', other: 'Replace on {count} channels' },
  },
  done: {
    zh: '{count} 个渠道现在把 {model} 发给 {by}。',
    en: {
      one: 'One channel now serves {model} with {by}.',
      other: '{count} channels now serve {model} with {by}.',
    },
  },
  undone: { zh: '已撤销。', en: 'Undone.' },
  skipped: {
    zh: '{count} 个渠道的映射已被他人修改，保持不变。',
    en: {
      one: 'One channel stays: its mapping was changed meanwhile.',
      other: '{count} channels stay: their mappings were changed meanwhile.',
    },
  },
  undo: { zh: '撤销', en: 'Undo' },
});

type Found = DataOf<typeof replacementApi.find>;
type Price = Found['prices']['model'];
interface Change {
  id: number;
  from: string;
  to: string;
}

const waitMs = 300;

/** Replaces a retiring model on the channels that still use it, after showing the channels and the prices. */
export function ReplaceModel({ models }: { models: readonly string[] }) {
  const t = useTranslate();
  const [model, setModel] = useState(models[0] ?? '');
  return (
    <Stack gap="md">
      <Select
        label={t(text.model)}
        data={[...models]}
        value={model}
        allowDeselect={false}
        onChange={(value) => setModel(value ?? '')}
      />
      <Replacement key={model} model={model} />
    </Stack>
  );
}

function Replacement({ model }: { model: string }) {
  const t = useTranslate();
  const language = useLanguage();
  const [typed, setTyped] = useState<string | undefined>();
  const [by] = useDebouncedValue(typed?.trim() ?? '', waitMs);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const { data, error } = useQuery({
    queryKey: ['replacement', model, by],
    queryFn: ({ signal }) => call(replacementApi.find, { model, by }, { signal }),
    placeholderData: (before) => before,
    meta: { quiet: true },
  });
  const { data: offered = [] } = useQuery({
    queryKey: ['enabled-models'],
    queryFn: ({ signal }) => call(channelApi.enabledModels, {}, { signal }),
  });
  const change = useMappingChange(model);
  if (error) return <Notice tone="bad">{errorMessage(error, language)}</Notice>;
  if (!data) return <Skeleton height={220} />;
  const name = typed?.trim() ?? data.successor;
  if (change.done) return <Outcome model={model} by={name} change={change} />;
  if (data.channels.length === 0) return <Notice>{t(text.none)}</Notice>;
  const chosen = data.channels.filter(({ id }) => !left.has(id));
  const isReady = name !== '' && name !== model && chosen.length > 0;
  // Prices of the name that is in the field; the question for a new name may still run.
  const isShown = name !== '' && data.prices.by?.model_name === name;
  return (
    <>
      <Autocomplete
        label={t(text.by)}
        description={data.successor === '' ? t(text.choose) : t(text.suggested, { model: data.successor })}
        data={[...new Set([data.successor, ...offered])].filter((each) => each !== '' && each !== model)}
        limit={50}
        maxLength={255}
        value={typed ?? data.successor}
        onChange={setTyped}
      />
      <ChannelChoice channels={data.channels} left={left} onChange={setLeft} />
      {isShown && <Prices model={model} by={name} found={data} chosen={chosen} />}
      <MutationButton
        disabled={!isReady}
        loading={change.isPending}
        onClick={() => change.run(chosen.map(({ id, from }) => ({ id, from, to: name })))}
      >
        {t(text.replace, { count: chosen.length })}
      </MutationButton>
    </>
  );
}

interface ChannelChoiceProps {
  channels: readonly ServingChannel[];
  left: ReadonlySet<number>;
  onChange: (left: ReadonlySet<number>) => void;
}

function ChannelChoice({ channels, left, onChange }: ChannelChoiceProps) {
  const t = useTranslate();
  const labelOf = ({ id, name, upstream, ends, enabled }: ServingChannel) => {
    const channel = t(text.channel, { id, name, upstream, day: ends });
    return enabled ? channel : t(text.off, { channel });
  };
  return (
    <Checkbox.Group
      label={t(text.channels)}
      value={channels.filter(({ id }) => !left.has(id)).map(({ id }) => String(id))}
      onChange={(ids) =>
        onChange(new Set(channels.map(({ id }) => id).filter((id) => !ids.includes(String(id)))))
      }
    >
      <Stack gap={6} mt={6} mah={220} style={{ overflowY: 'auto' }}>
        {channels.map((channel) => (
          <Checkbox key={channel.id} value={String(channel.id)} label={labelOf(channel)} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

interface PricesProps {
  model: string;
  by: string;
  found: Found;
  chosen: readonly ServingChannel[];
}

/** What customers pay after the replacement, and what the vendors list. */
function Prices({ model, by, found: { prices, list_prices: listed }, chosen }: PricesProps) {
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  const mapped = chosen.filter((each) => each.priced_after_mapping).length;
  const other = prices.by!;
  const paid = pricesOf(prices.model, 1, perUnit);
  const cost = listed.find((each) => each.model === by);
  const isLoss =
    cost !== undefined &&
    paid.by === 'tokens' &&
    (cost.input > paid.perMillion.input || (cost.output ?? 0) > paid.perMillion.output);
  return (
    <Stack gap="xs">
      {mapped < chosen.length && (
        <Notice>{t(text.customers, { model, price: priceText(t, prices.model, perUnit) })}</Notice>
      )}
      {mapped > 0 && (
        <Notice tone={other.unset ? 'bad' : 'warn'}>
          {t(other.unset ? text.mappedUnpriced : text.mapped, {
            count: mapped,
            model: by,
            price: priceText(t, other, perUnit),
          })}
        </Notice>
      )}
      {listed.length > 0 && (
        <span>
          {t(text.list, {
            prices: listed
              .map(({ model: name, input, output }) =>
                t(text.listed, {
                  model: name,
                  input: formatPrice(input),
                  output: output === null ? nothing : formatPrice(output),
                }),
              )
              .join(' → '),
          })}
        </span>
      )}
      {isLoss && mapped < chosen.length && <Notice tone="warn">{t(text.loss, { model: by })}</Notice>}
    </Stack>
  );
}

function priceText(t: Translate, item: Price, perUnit: number): string {
  if (item.unset) return t(text.unpriced);
  const found = pricesOf(item, 1, perUnit);
  if (found.by === 'call') return t(text.call, { price: formatPrice(found.call) });
  const { input, output } = found.perMillion;
  return t(text.tokens, { input: formatPrice(input), output: formatPrice(output) });
}

/** Sends a change of mappings, and the opposite change for an undo. */
function useMappingChange(model: string) {
  const client = useQueryClient();
  const [done, setDone] = useState<{ changed: Change[]; skipped: number; isUndo: boolean } | undefined>();
  const send = useMutation({
    mutationFn: async ({ changes, isUndo }: { changes: Change[]; isUndo: boolean }) => {
      const ids = new Set(await call(replacementApi.replace, { model, channels: changes }));
      const changed = changes.filter(({ id }) => ids.has(id));
      setDone({ changed, skipped: changes.length - changed.length, isUndo });
    },
    // Channels, prices and alarms may differ afterwards.
    onSuccess: () =>
      client.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'replacement' }),
  });
  return {
    done,
    isPending: send.isPending,
    run: (changes: Change[]) => send.mutate({ changes, isUndo: false }),
    undo: () =>
      send.mutate({
        changes: (done?.changed ?? []).map(({ id, from, to }) => ({ id, from: to, to: from })),
        isUndo: true,
      }),
  };
}

interface OutcomeProps {
  model: string;
  by: string;
  change: ReturnType<typeof useMappingChange>;
}

function Outcome({ model, by, change }: OutcomeProps) {
  const t = useTranslate();
  const { changed, skipped, isUndo } = change.done!;
  const undo = (
    <MutationButton variant="default" loading={change.isPending} onClick={change.undo}>
      {t(text.undo)}
    </MutationButton>
  );
  return (
    <>
      {changed.length > 0 && (
        <Notice tone="good" role="status" actions={isUndo ? undefined : undo}>
          {isUndo ? t(text.undone) : t(text.done, { count: changed.length, model, by })}
        </Notice>
      )}
      {skipped > 0 && (
        <Notice tone="warn" role="status">
          {t(text.skipped, { count: skipped })}
        </Notice>
      )}
    </>
  );
}
