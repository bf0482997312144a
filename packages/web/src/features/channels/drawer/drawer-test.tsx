import { Button, Group, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { channelApi, type CallOf, type ChannelData } from '@tollgate/contract';
import { FlaskConical } from 'lucide-react';
import { callFull } from '../../../lib/api/api-client.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { wireWords } from '../../../shared/wire-words/wire-words.ts';
import { Notice } from '../../../ui/notice.tsx';
import { type ChannelForm, toCall } from './form.ts';
import { formText } from './form-text.ts';
import { testChannel, useChannelMutation } from '../base/queries.ts';

/** What the test asks with: what is typed, or the saved channel while nothing of it was changed. */
type TestCall = CallOf<typeof channelApi.testWith>;

async function runTest(asked: TestCall | number): Promise<number> {
  if (typeof asked === 'number') return testChannel(asked, '');
  return (await callFull(channelApi.testWith, asked)).extra.time;
}

interface DrawerTestProps {
  form: UseFormReturnType<ChannelForm>;
  /** The channel that is edited; undefined for a new one. */
  channel: ChannelData | undefined;
}

/** Tests a channel before it is saved, and says in the upstream's words what is wrong with it. */
export function DrawerTest({ form, channel }: DrawerTestProps) {
  const t = useTranslate();
  const language = useLanguage();
  const test = useChannelMutation(runTest, true);
  const isTyped = channel === undefined || form.isDirty();
  const asked = isTyped
    ? {
        ...toCall(form.values, channel),
        name: form.values.name.trim() || '…',
        ...(channel && { id: channel.id }),
      }
    : channel.id;
  const run = () => {
    const faults = (['key', 'models'] as const).map((field) => form.validateField(field));
    if (!faults.some(({ hasError }) => hasError)) test.mutate(asked);
  };
  // What was found out about other values says nothing of these.
  const isOfThese = JSON.stringify(test.variables) === JSON.stringify(asked);
  return (
    <div style={{ display: 'grid', gap: 10 }}>
      <Group gap="sm" wrap="nowrap">
        <Button
          variant="default"
          leftSection={<FlaskConical size={15} />}
          loading={test.isPending}
          style={{ flex: 'none' }}
          onClick={run}
        >
          {t(isTyped ? formText.testTyped : formText.testHere)}
        </Button>
        <Text size="sm" c="dimmed">
          {t(
            channel === undefined
              ? formText.testNewHint
              : isTyped
                ? formText.testTypedHint
                : formText.testHint,
          )}
        </Text>
      </Group>
      {isOfThese && test.error && (
        <Notice tone="bad" role="status">
          {wireWords(errorMessage(test.error, language), language)}
        </Notice>
      )}
      {isOfThese && test.data !== undefined && !test.error && (
        <Notice tone="good" role="status">
          {t(formText.testGood, { time: formatDuration(test.data * 1000) })}
        </Notice>
      )}
    </div>
  );
}
