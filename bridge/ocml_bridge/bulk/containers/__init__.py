"""How files store records: lines, tables, Parquet, folders of texts, compressed and remote files."""
