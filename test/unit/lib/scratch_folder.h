/* A folder for the files of a test program, named by `scratch` once it exists. */
#ifndef TEST_SCRATCH_FOLDER_H
#define TEST_SCRATCH_FOLDER_H

extern char scratch[64];

/* Make the folder; remove it with its files.  For cmocka's setup and teardown. */
int scratch_make(void **state);
int scratch_remove(void **state);

/* Make an empty file, named by `scratch_path`; remove it.  Likewise. */
extern char scratch_path[64];
int scratch_file_make(void **state);
int scratch_file_remove(void **state);

/* Remove the files in the folder and return their number. */
int scratch_empty(void);

#endif
