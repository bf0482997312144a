import { Button, Group, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { translate, useTranslate } from '../../../lib/i18n.ts';
import { stored } from '../../../lib/storage.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { openDialog } from '../../../shared/dialog/dialog.ts';
import { text } from './text.ts';
import classes from './two-step.module.css';

/** Shows new recovery codes, only once. */
export function showRecoveryCodes(codes: readonly string[]): void {
  const close = openDialog({
    title: translate(stored.language.get(), text.codesTitle),
    body: <RecoveryCodes codes={codes} onClose={() => close()} />,
  });
}

/** Downloads a text as a file. */
function download(name: string, content: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: 'text/plain' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useTranslate();
  const all = codes.join('\n');
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t(text.codesBody)}
      </Text>
      <ul className={classes.codes} aria-label={t(text.recovery)}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton value={all} label={t(text.copyAll)} />
        <Button
          variant="default"
          size="sm"
          leftSection={<Download size={14} />}
          onClick={() => download('recovery-codes.txt', `${all}\n`)}
        >
          {t(text.download)}
        </Button>
        <Button size="sm" ml="auto" data-autofocus onClick={onClose}>
          {t(text.kept)}
        </Button>
      </Group>
    </Stack>
  );
}
