import type { SettingKey } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { useSay } from '../../lib/i18n.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Draft } from './draft.ts';
import { Field } from './field.tsx';
import { LogCleaner, RatioReset, VersionFacts } from './section-actions.tsx';
import classes from './page.module.css';
import type { Section } from './sections.ts';

interface SectionPanelProps {
  section: Section;
  draft: Draft;
  secretsSet: ReadonlySet<string>;
}

/** What a section offers beside its fields, by a key it holds. */
const actions: Partial<Record<SettingKey, () => ReactNode>> = {
  ModelRatio: () => <RatioReset />,
  LogConsumeEnabled: () => <LogCleaner />,
  SystemName: () => <VersionFacts />,
};

export function SectionPanel({ section, draft, secretsSet }: SectionPanelProps) {
  const say = useSay();
  return (
    <div id={section.id} className={classes.section}>
      <Panel title={say(section.title)}>
        <div className={classes.fields}>
          {section.keys.map((key) => (
            <Field key={key} settingKey={key} draft={draft} isSet={secretsSet.has(key)} />
          ))}
          {section.keys.map((key) => {
            const Action = actions[key];
            return Action && <Action key={`${key}-action`} />;
          })}
        </div>
      </Panel>
    </div>
  );
}
