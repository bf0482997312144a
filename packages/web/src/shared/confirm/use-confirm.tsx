import { openDialog } from '../dialog/dialog.ts';
import type { Question } from './question.tsx';

/** Asks in a dialog. Its code is fetched with the first question, before the dialog opens and sets its focus. */
async function ask(question: Question): Promise<boolean> {
  const { QuestionBody } = await import('./question.tsx');
  return new Promise((resolve) => {
    const close = openDialog({
      title: question.title,
      onClose: () => resolve(false),
      body: (
        <QuestionBody
          question={question}
          onAnswer={(agreed) => {
            // Closing resolves to false, which has no effect after this.
            resolve(agreed);
            close();
          }}
        />
      ),
    });
  });
}

/** Asks before a dangerous action; resolves to true if the user agreed. */
export const useConfirm = (): ((question: Question) => Promise<boolean>) => ask;
