import { NumberInput, SimpleGrid } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { texts, useTranslate } from '../../../lib/i18n.ts';
import type { ChannelForm } from './form.ts';

const limitText = texts({
  requests: { zh: '每分钟请求数', en: 'Requests a minute' },
  requestsHint: { zh: '任意 60 秒内开始的调用数', en: 'Calls that start in any 60 seconds' },
  tokens: { zh: '每分钟 Token 数', en: 'Tokens a minute' },
  tokensHint: {
    zh: '输入与输出；先按估算的输入计，结束后按实际用量计',
    en: 'Input and output: the estimated input first, the real use once a call has ended',
  },
  calls: { zh: '同时进行的调用', en: 'Calls at once' },
  callsHint: { zh: '同时进行的调用与实时会话数', en: 'Running calls and realtime sessions' },
  dollars: { zh: '每天花费（美元）', en: 'Dollars a day' },
  dollarsHint: {
    zh: '设置后开始计算：UTC 当日的成本，没有成本价时为收费',
    en: 'Counted from when it is set: costs of the UTC day, or charges without cost prices',
  },
  wait: { zh: '最长等待（秒）', en: 'Longest wait (seconds)' },
  waitHint: {
    zh: '没有其他可用渠道时，调用按顺序等待这么久；0 为立即返回 429',
    en: 'Calls wait this long, in order, if no other channel is free; 0 answers 429 at once',
  },
  none: { zh: '不限', en: 'No limit' },
});

const keyFields = [
  { name: 'requests_per_minute', label: limitText.requests, hint: limitText.requestsHint },
  { name: 'tokens_per_minute', label: limitText.tokens, hint: limitText.tokensHint },
  { name: 'calls_at_once', label: limitText.calls, hint: limitText.callsHint },
  { name: 'dollars_per_day', label: limitText.dollars, hint: limitText.dollarsHint },
] as const;
export type KeyLimitName = (typeof keyFields)[number]['name'];

interface LimitInputsProps {
  propsOf: (name: KeyLimitName) => { value?: number | string; onChange?: (value: number | string) => void };
}

/** Limits that a channel and a key have; an empty field is no limit. */
export function LimitInputs({ propsOf }: LimitInputsProps) {
  const t = useTranslate();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {keyFields.map(({ name, label, hint }) => (
        <NumberInput
          key={name}
          label={t(label)}
          description={t(hint)}
          placeholder={t(limitText.none)}
          min={0}
          allowDecimal={name === 'dollars_per_day'}
          decimalScale={2}
          thousandSeparator=","
          {...propsOf(name)}
        />
      ))}
    </SimpleGrid>
  );
}

/** Limits of a channel, and how long calls wait for it. */
export function LimitFields({ form }: { form: UseFormReturnType<ChannelForm> }) {
  const t = useTranslate();
  return (
    <>
      <LimitInputs propsOf={(name) => form.getInputProps(`limits.${name}`)} />
      <NumberInput
        mt="md"
        label={t(limitText.wait)}
        description={t(limitText.waitHint)}
        min={0}
        max={60}
        allowDecimal={false}
        {...form.getInputProps('limits.wait_seconds')}
      />
    </>
  );
}
