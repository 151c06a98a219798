import type { Role } from '../../../api/route.ts';
import { useLabels } from '../../labels/language.tsx';

const roleNames = ['admin', 'officer', 'viewer'] as const satisfies readonly Role[];

interface Props {
  readonly role: Role;
  readonly select: (role: Role) => void;
  readonly isDisabled?: boolean;
  readonly hint?: string | null;
}

/** Selects the role of a member. */
export function RoleSelect({ role, select, isDisabled = false, hint = null }: Props) {
  const { members: strings, roles } = useLabels();
  return (
    <label className="field">
      <span>{strings.role}</span>
      <select value={role} disabled={isDisabled} onChange={(event) => select(event.target.value as Role)}>
        {roleNames.map((name) => (
          <option key={name} value={name}>
            {roles[name]}
          </option>
        ))}
      </select>
      {hint !== null && <span className="hint">{hint}</span>}
    </label>
  );
}
