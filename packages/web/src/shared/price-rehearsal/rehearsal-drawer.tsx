import { Button, Drawer, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useSay } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { Notice } from '../../ui/notice.tsx';
import { LoadError } from '../state/load-error.tsx';
import { Outcome } from './outcome.tsx';
import { text } from './text.ts';
import { type PriceDraft, useRehearsal } from './use-rehearsal.ts';

const spans = [1, 7, 30, 90];

interface RehearsalDrawerProps {
  opened: boolean;
  draft: PriceDraft;
  onClose: () => void;
}

/** The drawer; what it holds is forgotten when it closes. */
export function RehearsalDrawer({ opened, draft, onClose }: RehearsalDrawerProps) {
  const say = useSay();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={say(text.title)}
      size={isPhone ? '100%' : 680}
      closeButtonProps={{ 'aria-label': say(text.close) }}
    >
      {opened && <Rehearsal draft={draft} />}
    </Drawer>
  );
}

function Rehearsal({ draft }: { draft: PriceDraft }) {
  const say = useSay();
  const [days, setDays] = useState(7);
  const { start, stop, isStarting, data, error } = useRehearsal(draft);
  const isRunning = data?.state === 'running';
  return (
    <Stack gap="md" pt="md">
      <Text size="sm">{say(text.hint)}</Text>
      <Group align="end">
        <NativeSelect
          label={say(text.days)}
          value={String(days)}
          disabled={isRunning}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
          data={spans.map((count) => ({ value: String(count), label: say(text.lastDays, { count }) }))}
        />
        {isRunning ? (
          <Button variant="default" onClick={stop}>
            {say(text.stop)}
          </Button>
        ) : (
          <Button loading={isStarting} onClick={() => start(days)}>
            {say(text.start)}
          </Button>
        )}
      </Group>
      {isRunning && (
        <progress value={data.progress} aria-label={say(text.running)} style={{ width: '100%' }} />
      )}
      {error && <LoadError error={error} onRetry={() => start(days)} />}
      {data?.state === 'failed' && <Notice tone="bad">{say(text.failed)}</Notice>}
      {data?.outcome && <Outcome outcome={data.outcome} />}
    </Stack>
  );
}
