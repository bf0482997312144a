import { useTranslate } from '../../../lib/i18n.ts';
import { LogoMark } from '../../../ui/logo.tsx';
import { text } from '../base/text.ts';
import classes from './thread.module.css';

interface GreetingProps {
  /** Shows sample prompts while there is no question yet. */
  full: boolean;
  ready: boolean;
  onIdea: (idea: string) => void;
}

const ideas = [text.ideaExplain, text.ideaCode, text.ideaTable] as const;

/** The sample exchange at the start of every conversation; it is never sent. */
export function Greeting({ full, ready, onIdea }: GreetingProps) {
  const t = useTranslate();
  return (
    <div className={classes.greeting}>
      <div className={classes.question}>
        <div className={classes.bubble}>{t(text.greetingQuestion)}</div>
      </div>
      <div className={classes.sample}>
        <LogoMark size={26} />
        <div>
          <div>{t(text.greetingAnswer)}</div>
          <div className={classes.note}>{t(text.greetingNote)}</div>
        </div>
      </div>
      {full && (
        <div className={classes.ideas} role="group" aria-label={t(text.tryOne)}>
          {ideas.map((idea) => (
            <button
              key={idea.en}
              type="button"
              className={classes.idea}
              disabled={!ready}
              onClick={() => onIdea(t(idea))}
            >
              {t(idea)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
