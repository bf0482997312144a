import { Button, Menu, Text } from '@mantine/core';
import { ChevronDown, Download } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { LazyMenu } from '../../../shared/lazy/lazy-menu.tsx';
import { csvText } from './csv-text.ts';
import type { useExport } from './export.ts';
import { text } from '../base/text.ts';

const kinds = ['people', 'raw', 'focus'] as const;

/** Exports for people or for programs, with progress and a stop button. */
export function ExportButton({ csv }: { csv: ReturnType<typeof useExport> }) {
  const t = useTranslate();
  if (csv.count !== null)
    return (
      <Button variant="default" leftSection={<Download size={15} />} onClick={csv.stop}>
        {csv.count === 0 ? t(text.stopExport) : t(text.exporting, { count: csv.count })}
      </Button>
    );
  return (
    <LazyMenu
      button={(props) => (
        <Button
          {...props}
          variant="default"
          leftSection={<Download size={15} />}
          rightSection={<ChevronDown size={14} />}
        >
          {t(csvText.menu)}
        </Button>
      )}
    >
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind} onClick={() => csv.start(kind)}>
            {t(csvText[kind])}
            <Text size="xs" c="dimmed">
              {t(csvText[`${kind}Hint`])}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </LazyMenu>
  );
}
