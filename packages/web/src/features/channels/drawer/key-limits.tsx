import { Button, Group, Modal } from '@mantine/core';
import type { KeyLimits } from '@tollgate/contract';
import { useState } from 'react';
import { texts, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { batchText } from '../base/text.ts';
import { type KeyLimitName, LimitInputs } from './limit-fields.tsx';

const keyLimitText = texts({
  title: { zh: '密钥 {hint} 的限额', en: 'Limits of the key {hint}' },
  save: { zh: '保存限额', en: 'Save limits' },
  requests: { zh: '每分钟 {count} 次请求', en: 'requests a minute: {count}' },
  tokens: { zh: '每分钟 {count} 个 Token', en: 'tokens a minute: {count}' },
  calls: { zh: '同时 {count} 个调用', en: 'at once: {count}' },
  dollars: { zh: '每天 ${count}', en: '${count} a day' },
});

const parts = {
  requests_per_minute: keyLimitText.requests,
  tokens_per_minute: keyLimitText.tokens,
  calls_at_once: keyLimitText.calls,
  dollars_per_day: keyLimitText.dollars,
} as const satisfies Record<KeyLimitName, unknown>;
const names = Object.keys(parts) as KeyLimitName[];

/** The limits of a key in one line; '' without any. */
export function useLimitWords(): (limits: KeyLimits) => string {
  const t = useTranslate();
  const language = useLanguage();
  return (limits) =>
    names
      .filter((name) => (limits[name] ?? 0) > 0)
      .map((name) => t(parts[name], { count: formatNumber(limits[name]!, language, 2) }))
      .join(' · ');
}

interface KeyLimitDialogProps {
  hint: string;
  limits: KeyLimits;
  onSave: (limits: KeyLimits) => void;
  onClose: () => void;
}

/** Changes the limits of one of several keys. */
export function KeyLimitDialog({ hint, limits, onSave, onClose }: KeyLimitDialogProps) {
  const t = useTranslate();
  const [values, setValues] = useState<{ [name in KeyLimitName]?: number | string | undefined }>(limits);
  const save = () =>
    onSave(
      Object.fromEntries(
        names.flatMap((name) => (Number(values[name]) > 0 ? [[name, Number(values[name])]] : [])),
      ),
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(keyLimitText.title, { hint })}
      closeButtonProps={{ 'aria-label': t(batchText.cancel) }}
    >
      <LimitInputs
        propsOf={(name) => ({
          value: values[name] ?? '',
          onChange: (value) => setValues((before) => ({ ...before, [name]: value })),
        })}
      />
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          {t(batchText.cancel)}
        </Button>
        <MutationButton onClick={save}>{t(keyLimitText.save)}</MutationButton>
      </Group>
    </Modal>
  );
}
