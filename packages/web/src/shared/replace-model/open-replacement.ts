import { createElement } from 'react';
import { openLazyDialog } from '../dialog/open-lazy-dialog.ts';

/** Opens the dialog that replaces one of these retiring models by mapping. */
export const openReplacement = (title: string, models: readonly string[]): Promise<void> =>
  openLazyDialog({
    title,
    size: 620,
    async body() {
      const { ReplaceModel } = await import('./replace-model.tsx');
      return createElement(ReplaceModel, { models });
    },
  });
