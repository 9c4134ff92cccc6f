/*
 * Questions of figures: SQL on the tables of an index and of its sample (figure_source.h).  The columns of their rows are
 * what the kind of the figure says (figure.h).
 */
#ifndef USAGE_FIGURES_FIGURE_QUESTIONS_H
#define USAGE_FIGURES_FIGURE_QUESTIONS_H

/* Name of an application whose text is t. */
#define QUESTION_APPLICATION "coalesce(t.text, '(unknown)')"

/* About records and jobs (figure_questions_jobs.c). */
extern const char question_coverage[];
extern const char question_reasons[];
extern const char question_executables[];
extern const char question_headlines[];
extern const char question_job_sizes[];
extern const char question_runtimes[];
extern const char question_core_hours_in_mpi[];
extern const char question_modes[];
extern const char question_levels[];
extern const char question_densities[];

/* About applications, and what a latency costs them (figure_questions_applications.c). */
extern const char question_application_fraction[];
extern const char question_domain_fraction[];
extern const char question_time[];
extern const char question_communication[];
extern const char question_functions[];
extern const char question_tolerance[];
extern const char question_tolerance_shares[];
extern const char question_calibration[];
extern const char question_trace_next[];

/* About functions, and sizes of messages (figure_questions_calls.c). */
extern const char question_collective_calls[];
extern const char question_collective_core_hours[];
extern const char question_collective_bytes[];
extern const char question_message_calls[];
extern const char question_message_core_hours[];
extern const char question_message_bytes[];
extern const char question_mean_sizes[];
extern const char question_message_sizes[];
extern const char question_files[];
extern const char question_network[];
extern const char question_least_times[];
extern const char question_ping_pong[];

#endif
