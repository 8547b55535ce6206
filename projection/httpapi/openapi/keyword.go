package openapi

import "math"

// draft is a draft of JSON Schema, by its number or year.
type draft int

const (
	draft4    draft = 4
	draft6    draft = 6
	draft7    draft = 7
	draft2019 draft = 2019
	draft2020 draft = 2020
)

const always = draft(math.MaxInt)

// form is what a keyword's value has to be. A value of another form is no value
// of that keyword, and generators stop at it.
type form uint8

const (
	formAny form = iota
	formString
	formNumber
	formSize // a whole number, not negative
	formBool
	formStrings
	formList
	formObject
	formSchema
	formSchemas   // a list of schemas, not empty
	formSchemaMap // an object of schemas
	formType
	formBound // a number, or in draft 4 a boolean
	formItems // a schema, or before 2020-12 a list
	formDependencies
	formDependent // an object of lists of strings
	formDropped   // says nothing to a reader of the document
)

// keyword is one word of JSON Schema: its form, and the drafts that have it.
type keyword struct {
	form  form
	since draft
	until draft
}

// keywords are all words that any draft gives a meaning, and those of OpenAPI's
// schema object. Every other word of a schema is an annotation of its author.
var keywords = map[string]keyword{
	"type":             {formType, 0, always},
	"enum":             {formList, 0, always},
	"const":            {formAny, draft6, always},
	"multipleOf":       {formNumber, 0, always},
	"maximum":          {formNumber, 0, always},
	"minimum":          {formNumber, 0, always},
	"exclusiveMaximum": {formBound, 0, always},
	"exclusiveMinimum": {formBound, 0, always},
	"maxLength":        {formSize, 0, always},
	"minLength":        {formSize, 0, always},
	"pattern":          {formString, 0, always},
	"format":           {formString, 0, always},
	"maxItems":         {formSize, 0, always},
	"minItems":         {formSize, 0, always},
	"uniqueItems":      {formBool, 0, always},
	"maxContains":      {formSize, draft2019, always},
	"minContains":      {formSize, draft2019, always},
	"maxProperties":    {formSize, 0, always},
	"minProperties":    {formSize, 0, always},
	"required":         {formStrings, 0, always},

	"properties":            {formSchemaMap, 0, always},
	"patternProperties":     {formSchemaMap, 0, always},
	"additionalProperties":  {formSchema, 0, always},
	"propertyNames":         {formSchema, draft6, always},
	"unevaluatedProperties": {formSchema, draft2019, always},
	"dependentSchemas":      {formSchemaMap, draft2019, always},
	"dependentRequired":     {formDependent, draft2019, always},
	"dependencies":          {formDependencies, 0, always}, // gone since 2019-09, and still obeyed

	"items":            {formItems, 0, always},
	"prefixItems":      {formSchemas, draft2020, always},
	"additionalItems":  {formSchema, 0, draft2019},
	"contains":         {formSchema, draft6, always},
	"unevaluatedItems": {formSchema, draft2019, always},

	"allOf": {formSchemas, 0, always},
	"anyOf": {formSchemas, 0, always},
	"oneOf": {formSchemas, 0, always},
	"not":   {formSchema, 0, always},
	"if":    {formSchema, draft7, always},
	"then":  {formSchema, draft7, always},
	"else":  {formSchema, draft7, always},

	"title":            {formString, 0, always},
	"description":      {formString, 0, always},
	"default":          {formAny, 0, always},
	"examples":         {formList, 0, always},
	"example":          {formAny, 0, always},
	"deprecated":       {formBool, 0, always},
	"readOnly":         {formBool, 0, always},
	"writeOnly":        {formBool, 0, always},
	"contentEncoding":  {formString, 0, always},
	"contentMediaType": {formString, 0, always},
	"contentSchema":    {formSchema, draft2019, always},
	"discriminator":    {formObject, 0, always},
	"nullable":         {formBool, 0, always},

	"$ref": {formString, 0, always}, "$dynamicRef": {formString, draft2020, always}, "$recursiveRef": {formString, draft2019, draft2019},
	"$schema": {formDropped, 0, always}, "$id": {formDropped, 0, always}, "id": {formDropped, 0, draft4}, "$anchor": {formDropped, 0, always},
	"$dynamicAnchor": {formDropped, 0, always}, "$recursiveAnchor": {formDropped, 0, always}, "$vocabulary": {formDropped, 0, always},
	"$comment": {formDropped, 0, always}, "$defs": {formDropped, 0, always}, "definitions": {formDropped, 0, always},
	"xml": {formDropped, 0, always}, "externalDocs": {formDropped, 0, always},
}

// applies reports whether a draft gives the word a meaning.
func (k keyword) applies(d draft) bool { return k.since <= d && d <= k.until }

// wordType says which JSON type a keyword speaks of; a word that is not here
// speaks of every type.
var wordType = map[string]string{
	"multipleOf": "number", "maximum": "number", "minimum": "number", "exclusiveMaximum": "number", "exclusiveMinimum": "number",
	"maxLength": "string", "minLength": "string", "pattern": "string", "format": "string", "contentEncoding": "string",
	"contentMediaType": "string", "contentSchema": "string",
	"maxItems": "array", "minItems": "array", "uniqueItems": "array", "maxContains": "array", "minContains": "array", "items": "array",
	"prefixItems": "array", "additionalItems": "array", "contains": "array", "unevaluatedItems": "array",
	"maxProperties": "object", "minProperties": "object", "required": "object", "properties": "object", "patternProperties": "object",
	"additionalProperties": "object", "propertyNames": "object", "unevaluatedProperties": "object", "dependentSchemas": "object",
	"dependentRequired": "object", "dependencies": "object",
}
