import { seededRandom } from "../measure.ts";

/**
 * Source files and logs for stories: what an agent reads while it works and does not need later. Each depends on its
 * seed alone.
 */
type Random = () => number;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

const verbs = [
  "load",
  "resolve",
  "merge",
  "collect",
  "validate",
  "format",
  "split",
  "apply",
  "render",
  "queue",
];
const qualities = ["pending", "active", "stale", "known", "open", "recent", "missing", "final"];
const fields = [
  "status",
  "createdAt",
  "owner",
  "total",
  "region",
  "kind",
  "label",
  "position",
  "source",
  "note",
];
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface Names {
  verb: string;
  noun: string;
  Noun: string;
  quality: string;
  field: string;
  other: string;
  limit: number;
}

function namesOf(random: Random, nouns: readonly string[]): Names {
  const noun = pick(random, nouns);
  const field = pick(random, fields);
  const other = pick(
    random,
    fields.filter((name) => name !== field),
  );
  const [verb, quality] = [pick(random, verbs), pick(random, qualities)];
  return { verb, noun, Noun: capital(noun), quality, field, other, limit: 2 + Math.floor(random() * 60) };
}

const typescript: ((names: Names) => string)[] = [
  ({ verb, noun, Noun, quality, field, limit }) => `/** Finds the ${quality} ${noun}s, newest first. */
export function ${verb}${capital(quality)}${Noun}s(all: readonly ${Noun}[], limit = ${limit}): ${Noun}[] {
  return all
    .filter(({ ${field} }) => ${field} !== undefined && ${field} !== null)
    .toSorted((a, b) => Number(b.${field}) - Number(a.${field}))
    .slice(0, limit);
}`,
  ({
    verb,
    noun,
    Noun,
    quality,
    field,
    other,
  }) => `export interface ${capital(quality)}${Noun} extends ${Noun} {
  ${field}: string;
  /** Undefined until the ${noun} was ${verb}ed once. */
  ${other}?: string;
}`,
  ({
    verb,
    noun,
    Noun,
    field,
    other,
    limit,
  }) => `async function ${verb}${Noun}(id: string, context: Context): Promise<${Noun}> {
  const row = await context.db.get<${Noun}Row>("${noun}", id);
  if (!row) throw new NotFoundError(\`There is no ${noun} \${id}\`);
  const ${field} = row.${field} ?? context.defaults.${field};
  if (row.${other} && context.clock.now() - row.updatedAt > ${limit} * minute) {
    context.log.debug("${noun} is older than its ${other}", { id, ${field} });
    return { ...to${Noun}(row), ${field}, isOld: true };
  }
  return { ...to${Noun}(row), ${field}, isOld: false };
}`,
  ({ noun, Noun, quality, field, other }) => `export class ${Noun}${capital(quality)}Index {
  readonly #by${capital(field)} = new Map<string, ${Noun}[]>();

  add(${noun}: ${Noun}): void {
    const known = this.#by${capital(field)}.get(${noun}.${field}) ?? [];
    this.#by${capital(field)}.set(${noun}.${field}, [...known, ${noun}]);
  }

  /** All with this ${field}, in the order in which they were added. */
  find(${field}: string): readonly ${Noun}[] {
    return this.#by${capital(field)}.get(${field}) ?? [];
  }

  countBy${capital(other)}(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const ${noun} of [...this.#by${capital(field)}.values()].flat())
      counts[${noun}.${other}] = (counts[${noun}.${other}] ?? 0) + 1;
    return counts;
  }
}`,
  ({
    verb,
    noun,
    Noun,
    quality,
    field,
    other,
  }) => `const ${quality}${Noun}Columns = ["id", "${field}", "${other}", "updated_at"] as const;

export function ${verb}${Noun}Row(row: Record<string, unknown>): ${Noun} {
  const missing = ${quality}${Noun}Columns.filter((name) => !(name in row));
  if (missing.length > 0) throw new TypeError(\`The row of a ${noun} lacks \${missing.join(", ")}\`);
  return {
    id: String(row.id),
    ${field}: String(row.${field}),
    ${other}: row.${other} === null ? undefined : String(row.${other}),
    updatedAt: new Date(String(row.updated_at)),
  };
}`,
];

const python: ((names: Names) => string)[] = [
  ({
    verb,
    noun,
    Noun,
    quality,
    field,
    limit,
  }) => `def ${verb}_${quality}_${noun}s(items: Iterable[${Noun}], limit: int = ${limit}) -> list[${Noun}]:
    """Return the ${quality} ${noun}s, newest first."""
    found = [item for item in items if item.${snake(field)} is not None]
    found.sort(key=lambda item: item.${snake(field)}, reverse=True)
    return found[:limit]`,
  ({ noun, Noun, quality, field, other }) => `@dataclass(frozen=True, slots=True)
class ${capital(quality)}${Noun}:
    """A ${noun} as it is stored between two runs."""

    id: str
    ${snake(field)}: str
    ${snake(other)}: str | None = None
    updated_at: datetime = field(default_factory=utcnow)

    @property
    def is_${quality}(self) -> bool:
        return self.${snake(other)} is not None and self.${snake(field)} != ""`,
  ({
    verb,
    noun,
    Noun,
    field,
    other,
    limit,
  }) => `def ${verb}_${noun}(session: Session, ${noun}_id: str) -> ${Noun}:
    row = session.execute(select(${Noun}Row).where(${Noun}Row.id == ${noun}_id)).scalar_one_or_none()
    if row is None:
        raise LookupError(f"there is no ${noun} {${noun}_id!r}")
    age = utcnow() - row.updated_at
    if row.${snake(other)} and age > timedelta(minutes=${limit}):
        log.debug("${noun} %s is older than its ${snake(other)}", ${noun}_id)
    return ${Noun}(id=row.id, ${snake(field)}=row.${snake(field)} or DEFAULT_${snake(field).toUpperCase()}, ${snake(other)}=row.${snake(other)})`,
  ({ noun, Noun, quality, field, other }) => `class ${Noun}${capital(quality)}Index:
    """Groups ${noun}s by ${snake(field)}, in the order in which they were added."""

    def __init__(self) -> None:
        self._by_${snake(field)}: dict[str, list[${Noun}]] = defaultdict(list)

    def add(self, ${noun}: ${Noun}) -> None:
        self._by_${snake(field)}[${noun}.${snake(field)}].append(${noun})

    def find(self, ${snake(field)}: str) -> Sequence[${Noun}]:
        return tuple(self._by_${snake(field)}.get(${snake(field)}, ()))

    def count_by_${snake(other)}(self) -> Counter[str]:
        return Counter(${noun}.${snake(other)} for group in self._by_${snake(field)}.values() for ${noun} in group)`,
  ({
    verb,
    noun,
    quality,
    field,
    other,
  }) => `def test_${verb}_${noun}_keeps_${snake(field)}(tmp_path: Path) -> None:
    store = make_store(tmp_path, ${noun}s=3, ${snake(other)}="${quality}")
    first, *rest = store.${noun}s()
    changed = store.${verb}(first.id, ${snake(field)}="changed")
    assert changed.${snake(field)} == "changed"
    assert [item.${snake(field)} for item in rest] == [item.${snake(field)} for item in store.${noun}s()[1:]]`,
];

const go: ((names: Names) => string)[] = [
  ({
    verb,
    noun,
    Noun,
    quality,
    field,
    limit,
  }) => `// ${capital(verb)}${capital(quality)} returns the ${quality} ${noun}s, newest first.
func ${capital(verb)}${capital(quality)}(all []${Noun}, limit int) []${Noun} {
	if limit <= 0 {
		limit = ${limit}
	}
	found := make([]${Noun}, 0, len(all))
	for _, item := range all {
		if item.${capital(field)} != "" {
			found = append(found, item)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].${capital(field)} > found[j].${capital(field)} })
	return found[:min(limit, len(found))]
}`,
  ({
    verb,
    noun,
    Noun,
    field,
    other,
    limit,
  }) => `func (s *${Noun}Store) ${capital(verb)}(ctx context.Context, id string) (*${Noun}, error) {
	var row ${noun}Row
	err := s.pool.QueryRow(ctx, "SELECT id, ${snake(field)}, ${snake(other)} FROM ${noun} WHERE id = $1", id).
		Scan(&row.id, &row.${field}, &row.${other})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("${noun} %q: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("${verb} ${noun}: %w", err)
	}
	if time.Since(row.updatedAt) > ${limit}*time.Minute {
		s.log.Debug("${noun} is old", "id", id, "${snake(other)}", row.${other})
	}
	return row.to${Noun}(), nil
}`,
  ({ noun, Noun, quality, field, other }) => `// ${capital(quality)}${Noun} is a ${noun} between two flushes.
type ${capital(quality)}${Noun} struct {
	ID        string    \`json:"id"\`
	${capital(field)}  string    \`json:"${snake(field)}"\`
	${capital(other)}  string    \`json:"${snake(other)},omitempty"\`
	UpdatedAt time.Time \`json:"updated_at"\`
}

func (x ${capital(quality)}${Noun}) valid() bool {
	return x.ID != "" && x.${capital(field)} != ""
}`,
  ({
    verb,
    noun,
    Noun,
    quality,
    field,
  }) => `func Test${capital(verb)}${Noun}Keeps${capital(field)}(t *testing.T) {
	store := newTestStore(t, 3)
	first, err := store.${capital(verb)}(t.Context(), "${noun}-1")
	if err != nil {
		t.Fatal(err)
	}
	first.${capital(field)} = "${quality}"
	if got := store.all()[1].${capital(field)}; got == "${quality}" {
		t.Errorf("the second ${noun} changed, too: %s", got)
	}
}`,
];

const languages = { typescript, python, go };

/** A source file of about this many characters. The head is put first, and what matters can be put in the middle. */
export function code(
  language: keyof typeof languages,
  seed: number,
  nouns: readonly string[],
  { head = "", middle = "", length = 5_500 } = {},
): string {
  const random = seededRandom(seed);
  const parts = head === "" ? [] : [head];
  let size = head.length;
  let isMiddleDone = middle === "";
  const seen = new Set<string>();
  while (size < length) {
    if (!isMiddleDone && size > length / 2) {
      parts.push(middle);
      size += middle.length;
      isMiddleDone = true;
    }
    const part = pick(random, languages[language])(namesOf(random, nouns));
    const name = part.match(/(?:function|interface|class|const|def|func|type) [^({]+/)?.[0] ?? part;
    size += 40;
    if (seen.has(name)) continue;
    seen.add(name);
    parts.push(part);
    size += part.length;
  }
  return parts.join("\n\n");
}

/** The lines of a test run that passed. */
export function passed(seed: number, nouns: readonly string[], count: number, mark = "✓"): string {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const { verb, noun, quality, field } = namesOf(random, nouns);
    const what = pick(random, [
      `${verb}s the ${quality} ${noun}s`,
      `keeps the ${field} of a ${quality} ${noun}`,
      `rejects a ${noun} without ${field}`,
      `${verb}s a ${noun} twice with the same result`,
      `orders ${noun}s by ${field}`,
    ]);
    return `  ${mark} ${noun} > ${what} (${1 + Math.floor(random() * 40)} ms)`;
  }).join("\n");
}

/** The lines of a service's log. */
export function log(
  seed: number,
  nouns: readonly string[],
  count: number,
  start = "2026-09-14T08:00:00Z",
): string {
  const random = seededRandom(seed);
  let at = Date.parse(start);
  return Array.from({ length: count }, () => {
    at += Math.floor(random() * 9_000);
    const { verb, noun, field, limit } = namesOf(random, nouns);
    const level = random() < 0.08 ? "WARN " : "INFO ";
    const id = Math.floor(random() * 0xffffff)
      .toString(16)
      .padStart(6, "0");
    const what = pick(random, [
      `${verb} ${noun} id=${id} took=${limit}ms`,
      `${noun} ${id}: ${field} unchanged`,
      `request completed path=/v1/${noun}s/${id} status=200 took=${limit}ms`,
      `batch of ${limit} ${noun}s done`,
    ]);
    return `${new Date(at).toISOString()} ${level} ${what}`;
  }).join("\n");
}

/** The results of a search over a repository. */
export function matches(
  seed: number,
  folders: readonly string[],
  nouns: readonly string[],
  count: number,
): string {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const { verb, noun, Noun, field, limit } = namesOf(random, nouns);
    return `${pick(random, folders)}:${limit * 7}:  const ${field} = ${verb}${Noun}(${noun}.${field});`;
  }).join("\n");
}
