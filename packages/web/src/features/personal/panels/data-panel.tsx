import { Stack } from '@mantine/core';
import { useTranslate } from '../../../lib/i18n.ts';
import { ExportButton } from '../../../shared/personal-data/export-button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/personal.module.css';
import { text } from '../base/text.ts';

/** What the site keeps of the person, as a file of theirs. */
export function DataPanel() {
  const t = useTranslate();
  return (
    <Panel title={t(text.data)}>
      <Stack gap="md">
        <p className={classes.quiet}>{t(text.dataHint)}</p>
        <div className={classes.foot}>
          <ExportButton />
        </div>
      </Stack>
    </Panel>
  );
}
