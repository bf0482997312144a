import { Button, Group, Text } from '@mantine/core';
import type { ChannelData } from '@tollgate/contract';
import { FlaskConical } from 'lucide-react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { wireWords } from '../../../shared/wire-words/wire-words.ts';
import { Notice } from '../../../ui/notice.tsx';
import { formText } from './form-text.ts';
import { testChannel, useChannelMutation } from '../base/queries.ts';

interface DrawerTestProps {
  channel: ChannelData;
  /** The form differs from what is saved. */
  isChanged: boolean;
}

/** Tests the channel where its fields are, and says in the upstream's words what is wrong with them. */
export function DrawerTest({ channel, isChanged }: DrawerTestProps) {
  const t = useTranslate();
  const language = useLanguage();
  const test = useChannelMutation((id: number) => testChannel(id, ''), true);
  return (
    <div style={{ display: 'grid', gap: 10 }}>
      <Group gap="sm" wrap="nowrap">
        <Button
          variant="default"
          leftSection={<FlaskConical size={15} />}
          loading={test.isPending}
          style={{ flex: 'none' }}
          onClick={() => test.mutate(channel.id)}
        >
          {t(formText.testHere)}
        </Button>
        <Text size="sm" c="dimmed">
          {t(isChanged ? formText.testUnsaved : formText.testHint)}
        </Text>
      </Group>
      {test.error && (
        <Notice tone="bad" role="status">
          {wireWords(errorMessage(test.error, language), language)}
        </Notice>
      )}
      {test.data !== undefined && !test.error && (
        <Notice tone="good" role="status">
          {t(formText.testGood, { time: formatDuration(test.data * 1000) })}
        </Notice>
      )}
    </div>
  );
}
