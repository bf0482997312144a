import type { SettingKey } from '@tollgate/contract';
import type { ComponentType } from 'react';
import type { Draft } from '../draft/draft.ts';

export interface EditorProps {
  settingKey: SettingKey;
  draft: Draft;
  /** Names the editor for screen readers. */
  label: string;
}

/** A form for a setting that is stored as JSON. */
export interface Editor {
  Form: ComponentType<EditorProps>;
  /** False while the form cannot show the text. */
  reads: (draft: Draft, key: SettingKey) => boolean;
}
