/* The JSON schema of a report, from the same description (json-schema.org, draft 7). */
#ifndef COMMON_REPORT_SCHEMA_H
#define COMMON_REPORT_SCHEMA_H

#include "common/report/report.h"

/* Write a part of the schema as report_begin and others write a part of the report. */
void schema_begin(struct report *report, const char *schema);
void schema_facts(struct report *report, const struct report_facts *facts);
void schema_table(struct report *report, const struct report_table *table);
void schema_list(struct report *report, const struct report_list *list);
void schema_end(struct report *report);
void schema_begin_forms(struct report *report);
void schema_end_forms(struct report *report);

#endif
