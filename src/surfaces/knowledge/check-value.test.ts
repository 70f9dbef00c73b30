import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../engine/json.ts";
import { checkAgainst } from "./check-value.ts";

const tree = {
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
      additionalProperties: false,
    },
  },
};

/** Schema, valid values, invalid values. */
const cases: [schema: Json, good: Json[], bad: Json[]][] = [
  [{ type: "object", required: ["a"] }, [{ a: null }], [{}, 1]],
  [{ required: ["toString"] }, [1, { toString: 1 }], [{}]],
  [{ properties: { a: { type: "number" } } }, [5, {}, { a: 1, b: 2 }], [{ a: "x" }]],
  [{ properties: { constructor: { type: "number" } } }, [{}], [{ constructor: "x" }]],
  [{ minimum: 5, multipleOf: 0.1 }, [5, 5.3, "x"], [4, 5.35]],
  [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
  [{ minLength: 2, maxLength: 3 }, ["😀😀😀", 1], ["a", "abcd"]],
  [{ type: ["string", "null"] }, [null, "a"], [1, []]],
  [{ type: "integer" }, [1, 1e300], [1.5, "1"]],
  [{ enum: [1, null, { a: 1, b: 2 }] }, [null, { b: 2, a: 1 }], [2, { a: 1 }]],
  [{ const: [1] }, [[1]], [[2], 1]],
  [
    { items: { type: "number" }, minItems: 1, maxItems: 2, uniqueItems: true },
    [[1], "x"],
    [[], ["a"], [1, 1]],
  ],
  [{ prefixItems: [{ type: "number" }], items: false }, [[], [1]], [["a"], [1, 2]]],
  [{ contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]]],
  [{ additionalProperties: { type: "number" }, maxProperties: 1 }, [{ a: 1 }], [{ a: "x" }, { a: 1, b: 1 }]],
  [{ propertyNames: { maxLength: 1 }, minProperties: 1 }, [{ a: 1 }], [{ ab: 1 }, {}]],
  [{ dependentRequired: { a: ["b"] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  [{ type: "number", anyOf: [{ minimum: 10 }, { maximum: 3 }] }, [10, 3], [5, "x"]],
  [{ oneOf: [{ minimum: 1 }, { maximum: 10 }] }, [0, 11], [5]],
  [{ allOf: [{ required: ["a"] }, { required: ["b"] }] }, [{ a: 1, b: 1 }], [{ a: 1 }]],
  [{ not: { type: "string" } }, [1], ["a"]],
  // biome-ignore lint/suspicious/noThenProperty: the keyword is called that
  [{ if: { type: "string" }, then: { minLength: 2 }, else: { type: "number" } }, ["ab", 1], ["a", null]],
  [{ format: "date-time" }, ["2026-01-02T03:04:05+01:00", 1], ["yesterday"]],
  [{ format: "email" }, ["a@example.org"], ["a"]],
  [{ format: "something" }, ["a"], []],
  [tree, [{ children: [{ children: [] }] }], [{ children: [{ child: 1 }] }, { children: [1] }]],
  [{ properties: { a: false } }, [{}], [{ a: 1 }]],
];

test("a value is checked against every keyword of its schema, with or without a type [knowledge.state-schema]", () => {
  for (const [schema, good, bad] of cases) {
    for (const value of good) checkAgainst(schema, value, "k");
    for (const value of bad)
      assert.throws(
        () => checkAgainst(schema, value, "k"),
        { code: "invalid_input", message: /does not match its schema: .*Nothing was changed/ },
        `${JSON.stringify(schema)} accepted ${JSON.stringify(value)}`,
      );
  }
});

test("a schema that cannot be checked is refused with the reason [knowledge.state-schema]", () => {
  const choice = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`d${index}`, index === 39 ? false : choice(`d${index + 1}`)]),
  );
  for (const [schema, reason] of [
    [{ type: "nonsense" }, /"type" "nonsense" must be one of/],
    [{ minLength: "3" }, /"minLength" must be a whole number/],
    [{ multipleOf: 0 }, /"multipleOf" must be a number above 0/],
    [{ required: "a" }, /"required" must be an array of names/],
    [{ properties: 1 }, /"properties" must be an object/],
    [{ properties: { a: 1 } }, /expected a schema at properties\.a/],
    [{ anyOf: [] }, /"anyOf" must be an array of schemas/],
    [{ $ref: "https://example.org/x" }, /does not point to a schema/],
    [{ $ref: "#/$defs/none" }, /does not point to a schema/],
    [{ items: { pattern: "^(a+)+$" } }, /"pattern" is not supported at items/],
    [{ unevaluatedProperties: false }, /"unevaluatedProperties" is not supported/],
    [{ $ref: "#" }, /never ends/],
    [{ ...choice("d0"), $defs: doubling }, /takes too long/],
  ] as [Json, RegExp][])
    assert.throws(() => checkAgainst(schema, {}, "k"), { code: "invalid_input", message: reason });
});
