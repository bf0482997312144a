import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { LatestVersion } from './latest-version.tsx';
import classes from './version.module.css';
import { versionText as text } from './text.ts';

const commands = `# what is new
git fetch && git log --oneline HEAD..@{upstream}

# update
git pull
npm start`;

/**
 * The running version, a newer one, and the upgrade steps. The check for a newer version is opt-in: a gateway that calls
 * home is one more thing to trust.
 */
export function VersionFacts() {
  const t = useTranslate();
  const status = useStatus();
  if (!status) return null;
  const notes = [text.backup, text.drain, text.several];
  return (
    <div className={classes.version}>
      <DescriptionList
        rows={[
          [t(text.version), status.version],
          [t(text.startedAt), formatDateTime(status.start_time)],
        ]}
      />
      <LatestVersion />
      <p className={classes.help}>{t(text.how)}</p>
      <CodeBlock code={commands} label={t(text.code)} action={<CopyButton value={commands} />} />
      <ul>
        {notes.map((note) => (
          <li key={note.en}>{t(note)}</li>
        ))}
        <li>{t(text.more, { file: 'docs/how-to/upgrade.md' })}</li>
      </ul>
    </div>
  );
}
