import { Group } from '@mantine/core';
import type { TokenData } from '@tollgate/contract';
import { useTranslate } from '../../lib/i18n.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { useText } from '../../shared/keys/key-text.ts';
import { InlineCode } from '../../ui/inline-code.tsx';
import { fetchKey } from './queries.ts';
import { text } from './text.ts';

/** The shortened key; the whole one is fetched only for copying. */
export function KeyCell({ token }: { token: TokenData }) {
  const t = useTranslate();
  const fetchOrExplain = async () => {
    const key = await fetchKey(token.id);
    if (key === undefined) throw new Error(t(useText.hashOnly));
    return key;
  };
  return (
    <Group gap={4} wrap="nowrap">
      <InlineCode>sk-{token.key}</InlineCode>
      <CopyButton value={fetchOrExplain} what={t(text.key)} />
    </Group>
  );
}
